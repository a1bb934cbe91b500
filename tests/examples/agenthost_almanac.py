from typing import Any

from agenthost import CallContext, Extension, InvalidParams, hookimpl

SAINTS = {"12-04": "Barbara", "12-06": "Nicholas", "12-13": "Lucy"}


async def day(params: dict[str, Any], ctx: CallContext[Any]) -> dict[str, Any]:
    date = params.get("date")
    if not isinstance(date, str) or date not in SAINTS:
        raise InvalidParams(f"date: {date!r} is none of {', '.join(SAINTS)}")
    return {"date": date, "saint": SAINTS[date]}


@hookimpl
def agenthost_extensions() -> list[Extension]:
    return [Extension("org.example/almanac", {"month": 12}, {"almanac/day": day})]
