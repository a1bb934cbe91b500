"""`agenthost skillcentral init`: a first configuration and a skill of each kind; nothing is ever overwritten."""

from __future__ import annotations

from pathlib import Path

import click
from agenthost import App, OperatorError

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json
from agenthost_skillcentral.command.table import plain

SAMPLES = Path(__file__).parent.parent / "samples"

CONFIGS = ("skill-central.yaml", "skill-central.yml")

SKILLS = {
    "plain-words": "01-global/plain-words.yaml",
    "review-change": "02-workflows/review-change.yaml",
    "commit-message": "02-workflows/commit-message.yaml",
    "schema-migration": "03-domains/schema-migration/SKILL.md",
    "python-tests": "04-tech-stack/python-tests.json",
}
"""The samples by their ids: each kind of file and of skill once."""


@click.command("init")
@click.option(
    "--project-root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="PATH",
    help="Where to write; default: the working directory.",
)
@json_option
@click.pass_obj
def init(app: App, *, project_root: Path | None, as_json: bool) -> None:
    """Write skill-central.yaml, four layers in .skills, and five skills to begin with.

    What is there already stays as it is, and a sample whose id is taken is left out. No client's configuration is
    touched: agenthost install does that.
    """
    root = (project_root or Path.cwd()).absolute()
    written: list[str] = []
    left_out: dict[str, str] = {}

    def write(name: str, sample: str) -> None:
        if _write(root / name, (SAMPLES / sample).read_bytes()):
            written.append(name)
        else:
            left_out[name] = "is there already"

    def run(view: View) -> None:
        there = [name for name in CONFIGS if (root / name).exists()]
        if there:
            left_out[there[0]] = "is there already"
        else:
            write(CONFIGS[0], CONFIGS[0])
        for skill_id, path in SKILLS.items():
            if skill_id in view.snapshot.records:
                left_out[f".skills/{path}"] = f"the id {skill_id} is taken"
            else:
                write(f".skills/{path}", f"skills/{path}")

    look(app, Project(root, ()), run)
    if as_json:
        print_json({"root": str(root), "written": written, "leftOut": left_out})
        return
    for name in written:
        click.echo(f"written   {plain(name)}")
    for name, reason in left_out.items():
        click.echo(f"left out  {plain(name)}: {reason}")
    click.echo("\nNext: agenthost skillcentral list, then agenthost serve --plugins skillcentral")


def _write(path: Path, content: bytes) -> bool:
    """Write a file that is not there; False if something is.

    Raises:
        OperatorError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise OperatorError(
            f"{path.parent} is needed as a folder, and is something else; nothing was changed there"
        ) from None
    except OSError as error:
        raise OperatorError(f"{path} cannot be written: {error.strerror}") from error
    return True
