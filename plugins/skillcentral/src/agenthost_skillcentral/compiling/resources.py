"""Bundles as resources: `skill://bundle/{target}/{intent}`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from agenthost import CallContext, NotFound, ResourceTemplate

from agenthost_skillcentral.compiling.bundles import compile_bundle, known_intents
from agenthost_skillcentral.compiling.targets import TARGETS
from agenthost_skillcentral.model import Language, Snapshot

BUNDLE = "skill://bundle/{target}/{intent}"


def bundle_template(look: Callable[[], Snapshot], language: Language) -> ResourceTemplate:
    """The template behind which every bundle is."""

    def read(target: str, intent: str) -> str:
        if target not in TARGETS:
            raise NotFound(f"Unknown bundle target: {target}; there are {', '.join(TARGETS)}")
        view = compile_bundle(look(), TARGETS[target], intent, language).view
        return json.dumps(view, ensure_ascii=False, indent=2)

    def complete_target(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
        return [name for name in TARGETS if name.startswith(value.strip().casefold())]

    def complete_intent(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
        typed = value.strip().casefold()
        return [intent for intent in known_intents(look()) if intent.casefold().startswith(typed)]

    return ResourceTemplate(
        BUNDLE,
        read,
        "skill_bundle",
        "The skills for an intent, a tag or an id, as the files of a tool: generic-mcp, cursor or windsurf.",
        mime_type="application/json",
        complete={"target": complete_target, "intent": complete_intent},
    )
