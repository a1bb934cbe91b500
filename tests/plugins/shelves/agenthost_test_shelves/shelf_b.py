"""Names that look like the other plugin's with a separator, and addresses that the other has too."""

from __future__ import annotations

from agenthost import Prompt, Resource, ResourceTemplate, hookimpl, prompt, resource


@resource("shelf-b://books/{title}")
def book(title: str) -> str:
    return f"shelf_b's book {title!r}"


@resource("note://today")
def today() -> str:
    return "shelf_b's today"


@prompt(name="c")
def separated() -> str:
    return "shelf_b: c"


@prompt(name="b__c")
def equal() -> str:
    return "shelf_b: b__c"


@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [separated, equal]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    return [book, today]
