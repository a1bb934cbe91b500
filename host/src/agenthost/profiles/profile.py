"""A client's profile: what is known about one client, and where it is known from."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

SERVER_KEY = "agenthost"
"""The name under which a client's configuration lists this server, where nobody chooses another."""

Level = Literal["E", "W", "I"]
"""E: the client loses the tool, the server or the chat. W: something is cut, renamed or ignored. I: to know."""


class Fact(BaseModel):
    """How one rule concerns one client.

    Attributes:
        level: how bad it is.
        effect: what happens then, as the end of a sentence.
        source: where that is known from: an issue, a document or a file of the client's source.
        limit: the most that the client takes; of characters, tools or seconds.
        form: the name that is counted, made of `{server}` and `{tool}`.
        pattern: what a name has to match.
        keywords: the keywords of JSON Schema that the rule is about.
        dialect: the dialect of JSON Schema that the client checks by.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Level
    effect: str
    source: str
    limit: int | None = None
    form: str = "{tool}"
    pattern: str | None = None
    keywords: tuple[str, ...] = ()
    dialect: Literal["draft-07", "2020-12"] | None = None

    @property
    def at_most(self) -> int:
        """The limit of a rule that has one."""
        assert self.limit is not None
        return self.limit


class Shell(BaseModel):
    """What a client passes on of the environment in which it runs.

    Attributes:
        kept: the variables that a server gets; no others.
        source: where that is known from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kept: tuple[str, ...]
    source: str


class Profile(BaseModel):
    """One client, or a few that are known to be alike.

    Attributes:
        name: the file's name, for programs.
        title: for people.
        era: the form of lists that the client is given.
        shell: what it passes on of its environment; None if that is all of it, or not known.
        rules: the rules that concern it, by their numbers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    era: Literal["handshake", "modern"] = "handshake"
    shell: Shell | None = None
    rules: dict[str, Fact]


@cache
def load_profiles() -> tuple[Profile, ...]:
    """All profiles that come with this package, by name."""
    documents = (path for path in files("agenthost.profiles").iterdir() if path.name.endswith(".toml"))
    return tuple(
        Profile.model_validate({"name": path.name.removesuffix(".toml"), **tomllib.loads(path.read_text("utf-8"))})
        for path in sorted(documents, key=lambda path: path.name)
    )
