"""Bytes as a JSON-RPC message and back; what is no message is refused with the error that answers it."""

from __future__ import annotations

import json
import logging
import re
from typing import Any, NoReturn

from mcp.shared.dispatcher import as_request_id
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from pydantic import ValidationError
from pydantic_core import from_json, to_json

log = logging.getLogger("agenthost")

MAX_DEPTH = 200
"""Levels of nesting in a message: the limit of pydantic's parser, kept on the slow way too."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Refusal(Exception):
    """What is no message, and not served; `error` is the JSON-RPC error that answers it."""

    def __init__(self, code: int, text: str, request_id: RequestId | None = None) -> None:
        super().__init__(text)
        self.error = JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text))


def decode(data: bytes, form: str) -> JSONRPCMessage:
    """Read one message.

    Bytes that are not UTF-8 and escaped lone surrogates become U+FFFD. Of equal keys the last one counts.

    Args:
        data: the bytes.
        form: what each message has to be sent as, for whoever sent something else.

    Raises:
        Refusal: they are not a JSON-RPC message.
    """
    try:
        value = from_json(data, allow_inf_nan=False)
    except ValueError:
        value = parse_leniently(data, form)
    return as_message(value, form)


def as_message(value: Any, form: str) -> JSONRPCMessage:
    """Take a JSON value as a message; arguments and errors as for `decode`."""
    # Choosing the shape by its keys is twice as fast as offering the value to the SDK's union of all four
    # (five times with large arguments), and that union takes a request with an unusable id for a notification.
    if not isinstance(value, dict):
        _refuse(value, form)
    shape: type[JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError]
    if value.get("method") is not None:
        shape = JSONRPCRequest if "id" in value else JSONRPCNotification
    else:
        shape = JSONRPCResponse if value.get("error") is None else JSONRPCError
    try:
        return shape.model_validate(value, by_name=False)
    except ValidationError:
        _refuse(value, form)


def parse_leniently(data: bytes, form: str) -> Any:
    """Read JSON that the fast parser has refused, for what can be read of it; arguments and errors as for `decode`."""
    try:
        value = json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse_constant)
        return replace_surrogates(value)
    except RecursionError:
        raise Refusal(PARSE_ERROR, f"Parse error: the message is nested more than {MAX_DEPTH} levels deep") from None
    except ValueError:
        raise Refusal(PARSE_ERROR, f"Parse error: this is not JSON; send each message as {form}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise Refusal(PARSE_ERROR, f"Parse error: {name} is not JSON; send null or a string")


def _refuse(value: Any, form: str) -> NoReturn:
    """Say what is wrong with a JSON value that is not a message."""
    request_id: RequestId | None = None
    if isinstance(value, list):
        text = f"MCP has no batches; send each message as {form}"
    elif not isinstance(value, dict):
        text = "a message has to be an object"
    else:
        is_response = "result" in value or "error" in value
        if value.get("method") is not None or not is_response:
            # The id of a response is one of ours: an error under it would hit an unrelated call of the client.
            request_id = as_request_id(value.get("id"))
        if value.get("jsonrpc") != "2.0":
            text = '"jsonrpc" has to be "2.0"'
        elif "id" in value and as_request_id(value["id"]) is None:
            text = '"id" has to be a string or an integer; a notification has none'
        elif is_response:
            text = 'a response needs "id" and an object "result" or "error"'
        elif not isinstance(value.get("method"), str):
            text = '"method" has to be a string'
        else:
            text = '"params" has to be an object'
    raise Refusal(INVALID_REQUEST, f"Invalid Request: {text}", request_id)


def replace_surrogates(value: Any, depth: int = 0) -> Any:
    """Copy a JSON value with U+FFFD for every surrogate that stands alone: UTF-8 cannot carry it.

    Raises:
        RecursionError: the value is nested more than `MAX_DEPTH` levels deep.
    """
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(member, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [replace_surrogates(member, depth + 1) for member in value]
    return value


def encode(message: JSONRPCMessage) -> bytes:
    """Write one message, without a line feed in it.

    Surrogates that stand alone become U+FFFD; NaN and the infinities become null.

    Raises:
        MCPError: the message holds something that has no JSON form; the log has the details.
    """
    try:
        try:
            # Straight to bytes: `model_dump_json().encode()` takes twice the time for a large result.
            data = message.__pydantic_serializer__.to_json(message, by_alias=True, exclude_unset=True)
        except ValueError:
            value = replace_surrogates(message.model_dump(by_alias=True, exclude_unset=True))
            data = to_json(value, inf_nan_mode="null")
    except (ValueError, TypeError, RecursionError) as error:
        log.exception("a message to the client has no JSON form")
        raise MCPError(code=INTERNAL_ERROR, message="the answer has no JSON form") from error
    return data
