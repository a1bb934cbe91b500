"""What a rollback is given as paths: whatever they say, only a backup beside its own file in a layer is put back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agenthost import ToolError
from agenthost_skillcentral.library import Library
from agenthost_skillcentral.model import Sources
from agenthost_skillcentral.service import Service
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.writing.files import sha256
from agenthost_skillcentral.writing.reverse_output import Writer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SKILL = b"id: a\ntype: prompt\nprompt: P\n"
BACKUP = ".bak.20260101T000000Z-00000000"
PIECES = st.sampled_from(
    ["..", ".", "", "~", ".skills", "01-global", "a.yaml", f"a.yaml{BACKUP}", "link", "outside", ".rules", "\0", "%2e"]
)
PATHS = st.lists(PIECES, max_size=6).map("/".join) | st.text(max_size=12)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Writer]:
    """A project with one skill, a link out of its layer, and files outside that look like a skill and its backup."""
    root = tmp_path_factory.mktemp("project")
    layer, outside = root / ".skills/01-global", root / "outside"
    for folder in (layer, outside, root / ".rules"):
        folder.mkdir(parents=True)
        for name in ("a.yaml", f"a.yaml{BACKUP}"):
            (folder / name).write_bytes(SKILL)
    (layer / f"a.yaml{BACKUP}").unlink()
    (layer / "link").symlink_to(outside, target_is_directory=True)
    plugin: Any = None  # is asked for nothing while nothing changes
    return root, Writer(plugin, Service(Library(Sources(root, home=root / "home")), Settings()))


def everything(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(target=PATHS, backup=PATHS | st.just(f".skills/01-global/a.yaml{BACKUP}"))
def test_s84_no_pair_of_paths_changes_anything_outside_of_a_layer(
    tree: tuple[Path, Writer], target: str, backup: str
) -> None:
    root, writer = tree
    before = everything(root)
    arguments = {
        "action": "rollback",
        "targetPath": target,
        "backupPath": backup,
        "expectedSha256": sha256(SKILL),
    }
    with pytest.raises(ToolError):
        writer.call(arguments, None)  # type: ignore[arg-type]  # it looks at nothing of the call
    assert everything(root) == before
