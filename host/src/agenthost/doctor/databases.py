"""Is the database of a plugin sound, and does it lie where a database can?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from agenthost.doctor.diagnosis import Diagnosis
from agenthost.errors import StorageError
from agenthost.plugins import ASK_LIMIT, GivenUpOn, Plugin, bounded
from agenthost.storage.upkeep import LOCK_IS_NEEDED_BEFORE, inspect_database

NETWORK = frozenset("nfs nfs4 cifs smb3 smbfs 9p afs ceph fuse.sshfs fuse.rclone glusterfs lustre".split())
"""File systems on which SQLite's shared memory and locks are not to be trusted."""


def check_database(plugin: Plugin, folder: Path) -> Iterator[Diagnosis]:
    """File, size, versions, journal and soundness of one plugin's database, and the file system below it."""
    path, subject = folder / f"{plugin.name}.db", f"storage {plugin.name}"
    known = len(plugin.schema.steps) if plugin.schema else 0
    if (kind := file_system(folder)) in NETWORK:
        text = f"{folder} is on a network file system ({kind}), where SQLite's locks are not to be trusted"
        yield Diagnosis("plugins", "warning", subject, text, "give a local folder with --state-dir", plugin=plugin.name)
    if not path.exists():
        yield Diagnosis("plugins", "ok", subject, "no data yet", plugin=plugin.name)
        return
    try:
        found = bounded(lambda: inspect_database(path), ASK_LIMIT)
    except (StorageError, GivenUpOn) as error:
        is_out_of_reach = isinstance(error.__cause__, OSError)
        cure = "let this user write there" if is_out_of_reach else "restore a backup, or end the process that holds it"
        yield Diagnosis("plugins", "error", subject, str(error), cure, plugin=plugin.name)
        return
    text = (
        f"{path}, {found.size:,} bytes, schema {found.schema} of {known}, SQLite {sqlite3.sqlite_version}, "
        f"journal {found.journal}, quick_check {'; '.join(found.faults) or 'ok'}"
    )
    if found.faults:
        yield Diagnosis("plugins", "error", subject, text, "restore a backup", plugin=plugin.name)
    elif found.schema > known:
        cure = "install the newer version of the plugin again, or give another folder with --state-dir"
        yield Diagnosis("plugins", "error", subject, text, cure, plugin=plugin.name)
    else:
        yield Diagnosis("plugins", "ok", subject, text, plugin=plugin.name)
    if sqlite3.sqlite_version_info < LOCK_IS_NEEDED_BEFORE:
        wanted = ".".join(map(str, LOCK_IS_NEEDED_BEFORE))
        text = (
            f"SQLite is older than {wanted}: agenthost's lock covers its own processes, and no other program's writes"
        )
        yield Diagnosis("plugins", "info", subject, text, plugin=plugin.name)


def file_system(folder: Path) -> str | None:
    """The kind of file system below a folder, as Linux tells; None where that cannot be told."""
    try:
        mounts = [line.split(" ") for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    place = folder.resolve()
    below = [fields for fields in mounts if len(fields) > 2 and place.is_relative_to(fields[1].replace("\\040", " "))]
    return max(below, key=lambda fields: len(fields[1]))[2] if below else None
