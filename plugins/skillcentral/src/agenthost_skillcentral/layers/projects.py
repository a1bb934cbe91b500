"""What a project is called: the ids of `appliesTo`, and those of the folder at work, read from git's files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath
from urllib.parse import urlsplit

from agenthost_skillcentral.formats.problems import shown

_SCP_FORM = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/@\s]+):(?!/)(?P<path>\S+)")
_SECTION = re.compile(r'\[\s*(?P<name>[\w.-]+)(?:\s+"(?P<sub>(?:[^"\\]|\\.)*)")?\s*\]')
_REMOTE_SCHEMES = {"https", "http", "ssh", "git", "git+ssh", "git+https"}
_MAX_BYTES = 1024 * 1024


def normalise(project_id: str) -> str:
    """A project's id in the one form in which ids are compared.

    Raises:
        ValueError: it is no such id; says what one looks like.
    """
    kind, colon, rest = project_id.partition(":")
    if colon and rest and not re.search(r"\s", project_id):
        if kind == "git":
            host, slash, path = rest.partition("/")
            path = _repository(path)
            if host and slash and path and ":" not in host and "@" not in host:
                return _git_id(host, path)
        elif kind == "path":
            return _path_id(rest, project_id)
    elif kind == "path" and rest:
        return _path_id(rest, project_id)  # a folder's name may hold blanks
    raise ValueError(_shape(project_id))


def _shape(project_id: str) -> str:
    return f"{shown(project_id)} is no project; write git:<host>/<path> or path:<absolute path>"


def _path_id(path: str, project_id: str) -> str:
    if path.startswith("/"):
        return f"path:{os.path.normpath(path).replace('//', '/')}"
    if PureWindowsPath(path).is_absolute():
        return f"path:{PureWindowsPath(path)}"
    raise ValueError(_shape(project_id))


def _repository(path: str) -> str:
    """A repository's path without slashes around it and without `.git`."""
    path = path.strip("/")
    return path.removesuffix(".git").rstrip("/")


def _git_id(host: str, path: str) -> str:
    host = host.lower()
    return f"git:{host}/{path.lower() if host == 'github.com' else path}"


def remote_id(url: str) -> str | None:
    """The id of the project behind a remote's address; None if the address is of none, for example a folder."""
    url = url.strip()
    if not url or re.search(r"\s", url):
        return None
    if "://" in url:
        try:
            parts = urlsplit(url)
            host = parts.hostname
        except ValueError:
            return None
        if parts.scheme.lower() not in _REMOTE_SCHEMES or not host:
            return None
        path = _repository(parts.path)
        return _git_id(host, path) if path else None
    if match := _SCP_FORM.fullmatch(url):
        path = _repository(match["path"])
        return _git_id(match["host"], path) if path else None
    return None


def repository_root(folder: Path) -> Path | None:
    """The nearest folder, this one or one above, that is a git working tree; None if there is none."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def project_ids(folder: Path) -> tuple[str, ...]:
    """What the project of a folder is called: by its remote `origin`, if it has one, and by its place."""
    root = repository_root(folder)
    place = f"path:{os.path.realpath(root or folder)}"
    url = _origin(root) if root else None
    remote = remote_id(url) if url else None
    return (remote, place) if remote else (place,)


def git_config(root: Path) -> Path | None:
    """The file in which the repository of a working tree keeps its remotes; None if there is none."""
    git = root / ".git"
    if git.is_file():  # a linked working tree or a submodule: the file says where
        text = _text(git)
        if not text.startswith("gitdir:"):
            return None
        git = root / text.removeprefix("gitdir:").strip()
    common = _text(git / "commondir").strip()  # the repository that a linked working tree belongs to
    if common:
        git /= common
    return git / "config"


def _origin(root: Path) -> str | None:
    config = git_config(root)
    if config is None:
        return None
    urls = [
        value
        for section, name, value in _settings(_text(config).splitlines())
        if section == ("remote", "origin") and name == "url"
    ]
    return urls[0] if urls else None


def _text(file: Path) -> str:
    """A small file's text; nothing if it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(_MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _settings(lines: Iterable[str]) -> Iterable[tuple[tuple[str, str], str, str]]:
    """The settings of a file in git's format: section and subsection, name, value."""
    section = ("", "")
    pending = ""
    for raw in lines:
        line = pending + raw.strip()
        pending = ""
        if line.endswith("\\") and not line.endswith("\\\\"):
            pending = line[:-1]
            continue
        if match := _SECTION.match(line):
            subsection = re.sub(r"\\(.)", r"\1", match["sub"] or "")
            section = (match["name"].lower(), subsection)
            line = line[match.end() :].strip()
        name, equals, value = line.partition("=")
        if equals and name and name[0] not in "#;":
            yield section, name.strip().lower(), _value(value.strip())


def _value(text: str) -> str:
    """A value without its quotes and without the comment behind it."""
    value, quoted, escaped = "", False, False
    for letter in text:
        if escaped:
            value += {"n": "\n", "t": "\t", "b": "\b"}.get(letter, letter)
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            quoted = not quoted
        elif letter in "#;" and not quoted:
            break
        else:
            value += letter
    return value.rstrip()
