"""What 10,000 skills cost against 10: `python benchmarks/skillcentral.py`.

Three questions (README.md): how much later is the first list of prompts; how soon does an edit show; are lists served
from memory. The skills lie in four layers, half of them prompts in YAML, the rest prompts in JSON, tools and folders of
Agent Skills.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from conversation import Conversation
from verdicts import report

FEW, MANY = 10, 10_000
"""Skills in the two projects."""

LAYERS = ("01-global", "02-workflows", "03-domains", "04-tech-stack")

START_BOUND = 2.0
"""Seconds that the first list of `MANY` may come later than that of `FEW`."""

EDIT_BOUND = 0.5
"""Seconds from a file's change to the first answer that has it, at worst."""

LIST_BOUND = 0.1
"""A later list takes at most so much of the time to the first one."""

EDITED = "skill-0"


def legacy(number: int) -> str:
    """A prompt in YAML."""
    return (
        f"id: skill-{number}\ntype: prompt\ndescription: Skill number {number}, for a measurement\n"
        f"tags: [t{number % 50}, measured]\narguments:\n  - name: context\n    description: What it is about\n"
        "    required: true\nprompt: |\n  Look at {{context}}.\n  Then say what you think of it.\n"
    )


def as_json(number: int) -> str:
    """A prompt in JSON."""
    members = {"id": f"skill-{number}", "type": "prompt", "description": f"Skill {number}", "prompt": "Look at it."}
    return json.dumps(members)


def tool(number: int) -> str:
    """A tool in the long form."""
    return (
        f"schemaVersion: skillcentral.dev/v1\nid: skill-{number}\nname: Skill {number}\ndescription: Tool {number}\n"
        "type: tool\ntags: [measured]\nappliesTo: global\nactivation: {}\ncapabilities: {}\ninputSchema:\n"
        "  type: object\n  properties:\n    what: {type: string, maxLength: 100}\n  required: [what]\n"
        "prompt: Do {{what}}.\n"
    )


def folder(number: int) -> str:
    """An Agent Skill."""
    return f"---\nname: skill-{number}\ndescription: Folder number {number}\n---\n# Skill {number}\n\nDo it.\n"


FORMS: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("skill-{}.yaml", legacy),
    ("skill-{}.yaml", legacy),
    ("skill-{}.json", as_json),
    ("skill-{}.yaml", tool),
    ("skill-{}/SKILL.md", folder),
)


def fill(project: Path, count: int) -> None:
    """Write so many skills, in turns into the four layers."""
    for number in range(count):
        name, form = FORMS[number % len(FORMS)]
        path = project / ".skills" / LAYERS[number % len(LAYERS)] / name.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(form(number), encoding="utf-8")


def serve(project: Path, name: str) -> Conversation:
    """A server for the project, with the handshake done."""
    command = [sys.executable, "-m", "agenthost", "serve", "--plugins", "skillcentral"]
    environment = {**os.environ, "HOME": str(project.parent), "AGENTHOST_STATE_DIR": str(project / "state")}
    talk = Conversation(command, "2025-11-25", environment, project, project.parent / f"{name}.stderr")
    talk.handshake()
    return talk


def list_prompts(talk: Conversation) -> int:
    """How many prompts are listed."""
    [result] = talk.parse(*talk.ask([talk.request("prompts/list", {})]))
    return len(result["prompts"])


def measure_start(projects: dict[int, Path], rounds: int) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Seconds from spawning the server to its first list of prompts, by the number of skills, in turns.

    The second part is what the process computed in its life, which other programs disturb less.
    """
    took: dict[int, list[float]] = {count: [] for count in projects}
    computed: dict[int, list[float]] = {count: [] for count in projects}
    for turn in range(rounds):
        for count in projects if turn % 2 else reversed(projects):
            before, began = children_computed(), time.perf_counter()
            with serve(projects[count], f"start-{count}") as talk:
                list_prompts(talk)
                took[count].append(time.perf_counter() - began)
            computed[count].append(children_computed() - before)
    return took, computed


def children_computed() -> float:
    """Seconds of CPU that all ended children have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_edits(project: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds from an edit to the first answer that has it, and of a list of all prompts, in a running server."""
    file = project / ".skills" / LAYERS[0] / f"{EDITED}.yaml"
    edits, lists = [], []
    with serve(project, "edits") as talk:
        list_prompts(talk)
        request = {"name": EDITED, "arguments": {"context": "it"}}
        for turn in range(rounds):
            time.sleep(0.3 + 0.037 * (turn % 7))  # not in step with its looks at the files
            file.write_text(legacy(0) + f"  edit {turn}\n", encoding="utf-8")
            began = time.perf_counter()
            while f"edit {turn}" not in str(talk.parse(*talk.ask([talk.request("prompts/get", request)]))):
                time.sleep(0.005)
            edits.append(time.perf_counter() - began)
            began = time.perf_counter()
            talk.ask([talk.request("prompts/list", {})])
            lists.append(time.perf_counter() - began)
    return edits, lists


def main() -> int:
    """Run it; 1 if `--check` and a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="starts of each server; edits are twice as many")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args()
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="agenthost-benchmark-") as name:
        projects = {count: Path(name) / f"with-{count}" for count in (FEW, MANY)}
        for count, project in projects.items():
            fill(project, count)
        starts, computed = (
            {count: statistics.median(times) for count, times in measured.items()}
            for measured in measure_start(projects, options.rounds)
        )
        edits, lists = measure_edits(projects[MANY], 2 * options.rounds)
    later, listing = starts[MANY] - starts[FEW], statistics.median(lists)
    rows = [
        (
            f"first list of prompts, {MANY:,} skills after {FEW}",
            f"{later:.2f} s later ({starts[MANY]:.2f} s, {starts[FEW]:.2f} s), "
            f"{computed[MANY] - computed[FEW]:.2f} s of it computing",
            f"{START_BOUND:g} s",
            later <= START_BOUND,
        ),
        (
            f"an edit shows, {MANY:,} skills",
            f"{statistics.median(edits):.2f} s, at worst {max(edits):.2f} s",
            f"{EDIT_BOUND:g} s",
            max(edits) <= EDIT_BOUND,
        ),
        (
            f"a later list, {MANY:,} skills",
            f"{listing * 1000:.0f} ms, {listing / starts[MANY]:.3f} of the first",
            f"{LIST_BOUND:g}",
            listing <= LIST_BOUND * starts[MANY],
        ),
    ]
    load = " to ".join(f"{average:.1f}" for average in (load_before, os.getloadavg()[0]))
    sys.stdout.write(f"load average {load}\n\n")
    report(rows, options.json)
    return 1 if options.check and not all(holds for *_, holds in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
