"""What happens when the host refuses some of what skillcentral offers at run time."""

from __future__ import annotations

from typing import Any

import pytest
from agenthost import ContributionRefused, Registry, Tool
from agenthost_skillcentral.publishing import replace
from hypothesis import given
from hypothesis import strategies as st


def tool(name: str) -> Tool:
    return Tool(name, lambda arguments, ctx: "", input_schema={"type": "object"})


class Host:
    """A registry whose host refuses some tools, and how often it was asked."""

    def __init__(self, *tools: Tool) -> None:
        self.refused: set[int] = set()
        self.asked = 0
        self.registry: Registry[Tool] = Registry("tool", Tool)
        self.registry.replace(tools)
        self.registry.bind(self._accept, lambda key: key)

    def _accept(self, items: tuple[Any, ...], _explicit: bool) -> None:
        self.asked += 1
        for item in items:
            if id(item) in self.refused:
                raise ContributionRefused(f"{item.name} was not added")


def test_what_is_refused_costs_nothing_else_and_its_old_version_stays() -> None:
    a, b, c = map(tool, "abc")
    host = Host(a, b, c)
    new_b, new_c, d, e = tool("b"), tool("c"), tool("d"), tool("e")
    host.refused = {id(new_b), id(d)}
    assert replace(host.registry, [d, new_b, new_c, e]) == ["d was not added", "b was not added"]
    assert list(host.registry) == [b, new_c, e]


def test_without_a_refusal_the_host_is_asked_once() -> None:
    host = Host(tool("a"))
    assert replace(host.registry, [tool(str(number)) for number in range(100)]) == []
    assert host.asked == 1


def test_what_is_served_already_is_not_offered_again() -> None:
    a, b = tool("a"), tool("b")
    host = Host(a, b)
    for items, asked in (([a, b], 0), ([b, a], 1), ([b], 2), ([b], 2), ([tool("b")], 3), ([], 4), ([], 4)):
        assert replace(host.registry, items) == []
        assert list(host.registry) == items
        assert host.asked == asked


def test_one_refusal_among_many_is_found_by_halving() -> None:
    host = Host()
    items = [tool(str(number)) for number in range(1000)]
    host.refused = {id(items[700])}
    assert replace(host.registry, items) == ["700 was not added"]
    assert list(host.registry) == [item for item in items if item is not items[700]]
    assert host.asked < 30


@given(st.lists(st.booleans(), max_size=30), st.lists(st.booleans(), max_size=30))
def test_exactly_what_is_refused_is_missing_and_the_order_stays(before: list[bool], after: list[bool]) -> None:
    host = Host(*(tool(str(number)) for number, is_there in enumerate(before) if is_there))
    old = {item.name: item for item in host.registry}
    items = [tool(str(number)) for number in range(len(after))]
    host.refused = {id(item) for item, is_refused in zip(items, after, strict=True) if is_refused}
    replace(host.registry, items)
    expected = [old.get(item.name) if id(item) in host.refused else item for item in items]
    assert list(host.registry) == [item for item in expected if item is not None]


def test_another_error_is_not_swallowed() -> None:
    host = Host()
    with pytest.raises(AttributeError):
        replace(host.registry, [None])  # type: ignore[type-var]
