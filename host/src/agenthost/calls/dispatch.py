"""The one way from a request to plugin code and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from agenthost.calls.arguments import check_arguments
from agenthost.calls.asking import Asked
from agenthost.calls.guard import Guard, crash
from agenthost.calls.meter import Meter
from agenthost.calls.results import (
    contents_to_wire,
    error_to_wire,
    members_to_wire,
    prompt_to_wire,
    result_to_wire,
)
from agenthost.calls.running import Request, Run
from agenthost.calls.texts import (
    argument_names,
    check_prompt_arguments,
    choices,
    read_prompt_arguments,
    read_variables,
    texts,
)
from agenthost.catalog import Catalog, Route, Table
from agenthost.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    CallFailed,
    InvalidParams,
    NotFound,
    ProtocolError,
    ToolError,
)
from agenthost.settings import did_you_mean


class Calls:
    """Answers calls from the catalog.

    Attributes:
        meter: what was called so far.
    """

    def __init__(self, catalog: Catalog, time_limit: float) -> None:
        """`time_limit` is `[host] time_limit`, in seconds."""
        self.meter = Meter()
        self._catalog = catalog
        self._time_limit = time_limit
        self._guard = Guard()

    def _run(self, route: Route[Any], request: Request) -> Run:
        return Run(self._guard, self.meter, route, request, self._time_limit)

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None, request: Request) -> dict[str, Any]:
        """The members of a `tools/call` result; whatever the plugin does becomes one.

        Raises:
            NotFound: no such tool is served.
            ProtocolError: the plugin raised one, or needs what this modern client cannot do.
        """
        route = self._catalog.tools.find(name)
        if route is None:
            raise NotFound(self._catalog.tools.explain_unknown(name))
        signature = route.vetted.signature
        given = dict(arguments or {})
        async with self._run(route, request) as call:
            try:
                if route.item.requires:
                    call.require(route.item.requires)
                value = await call.run(given if signature is None else check_arguments(route.exposed, signature, given))
                if isinstance(value, Asked):
                    return value.to_wire()
                return call.convert(result_to_wire, value, signature.returns if signature else None)
            except ToolError as error:
                call.outcome = "error"
                try:
                    return error_to_wire(error)
                except Exception as fault:  # noqa: BLE001  (an error that cannot be sent is a crash itself)
                    return error_to_wire(crash(call.label, fault))

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None, request: Request) -> dict[str, Any]:
        """The members of a `prompts/get` result.

        Raises:
            NotFound: no such prompt is served.
            InvalidParams: the arguments are wrong, or the plugin raised a `ToolError`.
            ProtocolError: the plugin raised one, or crashed.
        """
        route = self._catalog.prompts.find(name)
        if route is None:
            raise NotFound(self._catalog.prompts.explain_unknown(name))
        given = dict(arguments or {})
        async with self._run(route, request) as call:
            with _as_protocol_errors():
                if route.vetted.signature is None:
                    check_prompt_arguments(route, given)
                else:
                    given = read_prompt_arguments(route, given)
                value = await call.run(given)
                if isinstance(value, Asked):
                    return value.to_wire()
                return call.convert(prompt_to_wire, value, route.item.description)

    async def read_resource(self, uri: str, request: Request) -> dict[str, Any]:
        """The members of a `resources/read` result; errors as for prompts."""
        found = self._catalog.find_resource(uri)
        if found is None:
            raise NotFound(self._catalog.resources.explain_unknown(uri), {"uri": uri})
        route, variables = found
        async with self._run(route, request) as call:
            with _as_protocol_errors():
                value = await call.run(read_variables(route, variables))
                if isinstance(value, Asked):
                    return value.to_wire()
                return call.convert(contents_to_wire, value, uri, route.item.mime_type)

    async def call_method(self, name: str, params: Mapping[str, Any], request: Request) -> dict[str, Any]:
        """The members of the result of an extension's method; errors as for prompts.

        Raises:
            ProtocolError: also if nobody answers that method (by now).
        """
        route = self._catalog.methods.find(name)
        if route is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {name}", name)
        async with self._run(route, request) as call:
            with _as_protocol_errors():
                return call.convert(members_to_wire, await call.run(dict(params)))

    async def complete(
        self,
        kind: Literal["prompt", "template"],
        reference: str,
        name: str,
        value: str,
        arguments: Mapping[str, str],
        request: Request,
    ) -> list[str]:
        """All texts that may follow for an argument of a prompt (by its name) or of a template (by its text).

        Raises:
            NotFound: no such prompt or template is served.
            InvalidParams: it has no such argument.
            ProtocolError: the plugin raised one, or crashed.
        """
        table: Table[Any] = self._catalog.prompts if kind == "prompt" else self._catalog.resources
        route = table.find(reference)
        if route is None:
            raise NotFound(table.explain_unknown(reference))
        known = argument_names(route)
        if name not in known:
            raise InvalidParams(f"{reference} has no argument {name!r}{did_you_mean(name, known)}")
        function = getattr(route.item, "complete", {}).get(name)
        if function is None:
            return [choice for choice in choices(route, name) if choice.startswith(value)]
        async with self._run(route, request) as call:
            with _as_protocol_errors():
                found = await call.run_function(function, value, dict(arguments), call.context)
                return call.convert(texts, found)


@contextmanager
def _as_protocol_errors() -> Iterator[None]:
    """Prompts and resources have no error results: what a model would read goes to the client."""
    try:
        yield
    except CallFailed as error:
        raise ProtocolError(INTERNAL_ERROR, str(error)) from None
    except ToolError as error:
        raise InvalidParams(str(error), error.structured) from None
