"""What is served: the library's skills as prompts, tools and resources, made once for each skill."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from agenthost import PluginContext, Prompt, Resource, ResourceTemplate, Tool

from agenthost_skillcentral.library import Library
from agenthost_skillcentral.model import Skill, Snapshot
from agenthost_skillcentral.prompts import compose_prompt, explain_unknown_prompt, skill_prompt
from agenthost_skillcentral.resources import common_resources, listed_skills, skill_resource
from agenthost_skillcentral.settings import Settings, sources
from agenthost_skillcentral.tools import explain_unknown_tool, skill_tool
from agenthost_skillcentral.views import Places

T = TypeVar("T")


class Service:
    """The skills of one plugin's settings, and what the host is offered of them.

    A skill that has not changed is offered as the same object again, so the host has nothing to check.

    Attributes:
        library: reads the files.
        snapshot: what the library holds; exchanged as a whole.
    """

    def __init__(self, library: Library, settings: Settings) -> None:
        """Reads all files."""
        self.library = library
        self.snapshot: Snapshot = library.load()
        language = settings.language
        self._compose = compose_prompt(lambda: self.snapshot, language)
        self._common = common_resources(self._look)
        self._prompts: _Made[Prompt] = _Made(lambda skill: skill_prompt(skill, language))
        self._tools: _Made[Tool] = _Made(lambda skill: skill_tool(skill, language))
        self._resources: _Made[Resource] = _Made(lambda skill: skill_resource(skill, self._look))

    def prompts(self) -> list[Prompt]:
        """The composed prompt, then the prompt skills."""
        return [self._compose, *self._prompts.of(self.snapshot.prompts)]

    def tools(self) -> list[Tool]:
        """The tool skills."""
        return self._tools.of(self.snapshot.tools)

    def resources(self) -> list[Resource | ResourceTemplate]:
        """The registry, the template, and the skills that are listed one by one."""
        return [*self._common, *self._resources.of(listed_skills(self.snapshot))]

    def explain_prompt(self, name: str) -> str:
        """What to tell a client that asked for a prompt of a name that nobody has."""
        return explain_unknown_prompt(self.snapshot, name)

    def explain_tool(self, name: str) -> str | None:
        """The same for a tool; None leaves it to the host."""
        return explain_unknown_tool(self.snapshot, name)

    def _look(self) -> tuple[Snapshot, Places]:
        return self.snapshot, Places(self.snapshot.project_root, Path.home())


class _Made(Generic[T]):
    """What was made of each skill."""

    def __init__(self, make: Callable[[Skill], T]) -> None:
        self._make = make
        self._made: dict[str, tuple[Skill, T]] = {}

    def of(self, skills: Iterable[Skill]) -> list[T]:
        """One for each skill; those of other skills are forgotten."""
        old = self._made
        self._made = {skill.id: self._one(skill, old.get(skill.id)) for skill in skills}
        return [made for _, made in self._made.values()]

    def _one(self, skill: Skill, old: tuple[Skill, T] | None) -> tuple[Skill, T]:
        return old if old is not None and old[0] is skill else (skill, self._make(skill))


_services: WeakKeyDictionary[PluginContext[Settings], Service] = WeakKeyDictionary()


def service_of(plugin: PluginContext[Settings]) -> Service:
    """The one service of a plugin's context; all hooks share it."""
    service = _services.get(plugin)
    if service is None:
        service = _services[plugin] = Service(Library(sources(plugin.settings, plugin.base_dir)), plugin.settings)
    return service
