"""What is served: the library's skills as prompts, tools and resources, made once for each skill."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from agenthost import Extension, PluginContext, Prompt, Resource, ResourceTemplate, Tool

from agenthost_skillcentral.compiling.resources import bundle_template
from agenthost_skillcentral.extension.file_resources import file_resource, file_template, listed_files
from agenthost_skillcentral.extension.manifests import Files
from agenthost_skillcentral.extension.methods import extension
from agenthost_skillcentral.extension.shelf import Shelf, Shelved
from agenthost_skillcentral.library import Library
from agenthost_skillcentral.model import Skill, Snapshot
from agenthost_skillcentral.prompts import compose_prompt, explain_unknown_prompt, skill_prompt
from agenthost_skillcentral.resources import common_resources, listed_skills, skill_resource
from agenthost_skillcentral.settings import Settings, sources
from agenthost_skillcentral.tools import explain_unknown_tool, skill_tool
from agenthost_skillcentral.views import Places
from agenthost_skillcentral.workflow_resources import listed_plans, plan_resource, workflow_resources
from agenthost_skillcentral.workflow_tools import workflow_tools

Item = TypeVar("Item")
T = TypeVar("T")


class Service:
    """The skills of one plugin's settings, and what the host is offered of them.

    A skill that has not changed is offered as the same object again, so the host has nothing to check.

    Attributes:
        library: reads the files.
        snapshot: what the library holds; exchanged as a whole.
        shelf: the skills of the snapshot that are served as files.
        catching_up: held by the one thread that looks at the files again and serves what it finds.
        own_tools: what skillcentral offers itself, before the tool skills.
    """

    def __init__(self, library: Library, settings: Settings) -> None:
        """Reads all files."""
        self.library = library
        self.snapshot: Snapshot = library.load()
        self.shelf = Shelf(self.snapshot)
        self.catching_up = threading.Lock()
        self.own_tools: tuple[Tool, ...] = ()
        language = settings.language
        self._compose = compose_prompt(lambda: self.snapshot, language)
        self._workflow_tools = workflow_tools(lambda: self.snapshot, language)
        self._files = Files(language)
        self._common = [
            *common_resources(self._look),
            *workflow_resources(self._look),
            bundle_template(lambda: self.snapshot, language),
            file_template(self._look_at_shelf, self._files),
        ]
        self._prompts = _Made(lambda skill: skill_prompt(skill, language), _by_id)
        self._tools = _Made(lambda skill: skill_tool(skill, language), _by_id)
        self._resources = _Made(lambda skill: skill_resource(skill, self._look), _by_id)
        self._plans = _Made(lambda skill: plan_resource(skill, self._look), _by_id)
        self._documents = _Made(lambda one: file_resource(one, self._look_at_shelf, self._files), _by_uri)

    def exchange(self, snapshot: Snapshot) -> None:
        """Offer what this snapshot holds from now on."""
        self.snapshot, self.shelf = snapshot, Shelf(snapshot, self.shelf)

    def prompts(self) -> list[Prompt]:
        """The composed prompt, then the prompt skills."""
        return [self._compose, *self._prompts.of(self.snapshot.prompts)]

    def tools(self) -> list[Tool]:
        """Its own tools, then the tool skills."""
        return [*self.own_tools, *self._workflow_tools, *self._tools.of(self.snapshot.tools)]

    def resources(self) -> list[Resource | ResourceTemplate]:
        """The registry, sessions and templates; then skills, plans and files that are listed one by one."""
        skills, plans = listed_skills(self.snapshot), listed_plans(self.snapshot)
        documents = listed_files(self.shelf)
        return [*self._common, *self._resources.of(skills), *self._plans.of(plans), *self._documents.of(documents)]

    def extension(self, log: logging.Logger) -> Extension:
        """The skills extension."""
        return extension(self._look_at_shelf, self._files, log)

    def explain_prompt(self, name: str) -> str:
        """What to tell a client that asked for a prompt of a name that nobody has."""
        return explain_unknown_prompt(self.snapshot, name)

    def explain_tool(self, name: str) -> str | None:
        """The same for a tool; None leaves it to the host."""
        return explain_unknown_tool(self.snapshot, name)

    def _look_at_shelf(self) -> Shelf:
        return self.shelf

    def _look(self) -> tuple[Snapshot, Places]:
        return self.snapshot, Places(self.snapshot.project_root, Path.home())


class _Made(Generic[Item, T]):
    """What was made of each skill; of one that has not changed it stays the same object."""

    def __init__(self, make: Callable[[Item], T], identify: Callable[[Item], tuple[str, Skill]]) -> None:
        """`identify` gives what tells an item apart from the others, and the skill that it is made of."""
        self._make = make
        self._identify = identify
        self._made: dict[str, tuple[Skill, T]] = {}

    def of(self, items: Iterable[Item]) -> list[T]:
        """One for each item; those of other items are forgotten."""
        known, self._made = self._made, {}
        for item in items:
            key, skill = self._identify(item)
            old = known.get(key)
            self._made[key] = old if old is not None and old[0] is skill else (skill, self._make(item))
        return [made for _, made in self._made.values()]


def _by_id(skill: Skill) -> tuple[str, Skill]:
    return skill.id, skill


def _by_uri(shelved: Shelved) -> tuple[str, Skill]:
    return shelved.uri, shelved.skill


_services: WeakKeyDictionary[PluginContext[Settings], Service] = WeakKeyDictionary()


def service_of(plugin: PluginContext[Settings]) -> Service:
    """The one service of a plugin's context; all hooks share it."""
    service = _services.get(plugin)
    if service is None:
        library = Library(sources(plugin.settings, plugin.base_dir, wanted=plugin.wanted))
        service = _services[plugin] = Service(library, plugin.settings)
    return service
