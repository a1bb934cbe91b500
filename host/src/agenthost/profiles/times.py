"""T: calls that take longer than clients wait."""

from __future__ import annotations

from collections.abc import Iterator

from agenthost.profiles.rule import Client, Hit, rule


@rule("T01", cure="start the work with one tool and ask for its result with another; or lower time_limit or max_wait")
def slow_tools(client: Client) -> Iterator[Hit]:
    """The author or the operator has given a tool more time than the client has."""
    limit = client.fact.at_most
    return client.tools(f"a call may take more than {limit} s", lambda tool: (tool.time_limit or 0) > limit)
