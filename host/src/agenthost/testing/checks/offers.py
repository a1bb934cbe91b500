"""Names and schemas: can clients of both eras read the lists?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import jsonschema
from jsonschema.validators import validator_for

from agenthost.testing.checks.trial import Trial
from agenthost.testing.clients import WatchingClient
from agenthost.testing.process import Era

CHECK = "names and schemas"


@dataclass
class Offers:
    """What a plugin offers, as the official client has read it."""

    tools: list[Any] = field(default_factory=list)
    prompts: list[Any] = field(default_factory=list)
    resources: list[Any] = field(default_factory=list)
    templates: list[Any] = field(default_factory=list)

    def names(self) -> dict[str, list[str]]:
        """The names and addresses of each kind, in the order of the list."""
        return {
            "tools": [tool.name for tool in self.tools],
            "prompts": [prompt.name for prompt in self.prompts],
            "resources": [str(resource.uri) for resource in self.resources],
            "templates": [template.uri_template for template in self.templates],
        }


async def read_offers(trial: Trial, era: Era, client: WatchingClient) -> Offers:
    """Read all lists through the official client, and check the schemas in them."""
    offers = Offers()
    reading = {
        "tools": client.list_tools,
        "prompts": client.list_prompts,
        "resources": client.list_resources,
        "templates": client.list_resource_templates,
    }
    for kind in fields(offers):
        try:
            listed: Any = await reading[kind.name]()
        except Exception as error:  # noqa: BLE001  (the client refuses a list in many ways)
            trial.fault(CHECK, f"the official client ({era}) refuses the list of {kind.name}: {error}")
        else:
            member = "resource_templates" if kind.name == "templates" else kind.name
            setattr(offers, kind.name, list(getattr(listed, member)))
    for tool in offers.tools:
        for member, schema in (("inputSchema", tool.input_schema), ("outputSchema", tool.output_schema)):
            if schema is not None:
                _check_schema(trial, f"tool {tool.name}: {member}", schema)
    return offers


def _check_schema(trial: Trial, what: str, schema: dict[str, Any]) -> None:
    try:
        validator_for(schema, default=jsonschema.Draft202012Validator).check_schema(schema)
    except jsonschema.SchemaError as error:
        place = "".join(f"/{part}" for part in error.absolute_path)
        trial.fault(CHECK, f"{what}{place and f' at {place}'} is no valid JSON Schema: {error.message}")


def compare_offers(trial: Trial, offers: Mapping[Era, Offers]) -> None:
    """Clients of both eras are offered the same."""
    legacy, modern = offers["legacy"].names(), offers["modern"].names()
    for kind, names in legacy.items():
        if names != modern[kind] and kind not in trial.changing:
            differing = sorted({*names} ^ {*modern[kind]}) or names
            trial.fault(CHECK, f"the {kind} differ between the eras: {', '.join(differing)}")
