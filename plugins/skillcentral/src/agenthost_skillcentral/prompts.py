"""Prompt skills as prompts, and the prompt that is composed of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agenthost import Argument, CallContext, Prompt, PromptResult

from agenthost_skillcentral.composing import compose
from agenthost_skillcentral.model import Language, Skill, Snapshot
from agenthost_skillcentral.rendering import render

COMPOSE, COMPOSE_ALIAS = "skills_compose", "skills:compose"
"""Listed without the colon of the original, which some clients do not take in a name; the old name is answered too."""

Look = Callable[[], Snapshot]
"""Gives what the library holds at this moment."""


def skill_prompt(skill: Skill, language: Language) -> Prompt:
    """The prompt that a prompt skill is; like the original, it lets arguments pass that the skill does not name."""

    async def get(arguments: dict[str, str], _ctx: CallContext[Any]) -> str:
        return render(skill, arguments, language)

    arguments = tuple(
        Argument(argument.name, argument.description, argument.required, argument.title) for argument in skill.arguments
    )
    return Prompt(skill.id, get, skill.described, arguments=arguments, open=True)


def compose_prompt(look: Look, language: Language) -> Prompt:
    """The prompt that joins all prompt skills with one of the tags given."""

    def complete(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> Iterable[str]:
        return complete_tags(look(), value)

    def get(arguments: dict[str, str], _ctx: CallContext[Any]) -> PromptResult:
        composed = compose(look().prompts, arguments["tags"], arguments, language)
        return PromptResult(composed.text, description=composed.description)

    return Prompt(
        COMPOSE,
        get,
        "Several prompt skills in one: all that have one of the tags, the most general first.",
        arguments=(Argument("tags", "Tags, separated by commas, for example: kotlin,review", required=True),),
        open=True,
        complete={"tags": complete},
        aliases=(COMPOSE_ALIAS,),
    )


def complete_tags(snapshot: Snapshot, value: str) -> list[str]:
    """What a list of tags can become whose last one is not finished: tags of prompt skills, the frequent ones first."""
    before, comma, typed = value.rpartition(",")
    taken = {tag.strip().casefold() for tag in before.split(",")}
    counts: dict[str, int] = {}
    for skill in snapshot.prompts:
        for tag in skill.tags:
            counts[tag] = counts.get(tag, 0) + 1
    wanted = typed.strip().casefold()
    found = [tag for tag in counts if tag.casefold().startswith(wanted) and tag.casefold() not in taken]
    return [before + comma + tag for tag in sorted(found, key=lambda tag: (-counts[tag], tag))]


def explain_unknown_prompt(snapshot: Snapshot, name: str) -> str:
    """Why there is no prompt of that name."""
    return f"Unknown prompt skill: {name}{explain_absence(snapshot, name, 'prompt')}"


def explain_absence(snapshot: Snapshot, skill_id: str, wanted: str) -> str:
    """Why the skill of an id is not served as a prompt or a tool, in brackets; empty if the id is nobody's."""
    record = snapshot.records.get(skill_id)
    if record is None:
        others = [skill for skill in snapshot.elsewhere if skill.id == skill_id]
        projects = sorted({project for skill in others for project in skill.applies_to or ()})
        return f" (it is for other projects: {', '.join(projects)})" if others else ""
    if record.status == "conflicted":
        rivals = [candidate.skill for candidate in record.candidates if candidate.status == "conflicted"]
        places = " and ".join(f"{skill.source.name} in layer {skill.layer.id}" for skill in rivals)
        return f" (conflicted: {places} have the same right to this id; change the id or a layer's priority)"
    assert record.effective is not None
    kind = record.effective.type
    if kind == wanted:
        return ""
    if kind in ("prompt", "tool"):
        return f" (it is a {kind} skill: use {'prompts/get' if kind == 'prompt' else 'tools/call'})"
    if kind == "workflow":
        return " (it is a workflow: workflow_start begins it)"
    return f" (it is a {kind} skill, and those are not served as a {wanted})"
