"""Log lines on stderr, for people or for programs; every line of a plugin carries its name."""

from __future__ import annotations

import json
import logging
import time
from typing import Literal

LogFormat = Literal["text", "json"]

LEVELS = ("debug", "info", "warning", "error")
"""What `--log-level` takes; the default is `info`."""


def configure_logs(level: str = "info", style: LogFormat = "text") -> None:
    """Send all log records of at least `level` to stderr, as text or as one JSON object a line.

    Libraries are heard from `warning` on only, since their information is not the operator's.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler()
    handler.setFormatter(_JsonFormatter() if style == "json" else _TextFormatter())
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("agenthost").setLevel(number)


def _source(record: logging.LogRecord) -> str | None:
    """The plugin or library that a record is from; None for the host itself."""
    program, _, plugin = record.name.partition(".")
    return (plugin.partition(".")[0] or None) if program == "agenthost" else record.name


class _TextFormatter(logging.Formatter):
    """`agenthost: warning: void: text`: program, level unless it is information, source unless it is the host."""

    def format(self, record: logging.LogRecord) -> str:
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        source = _source(record)
        text = f"agenthost: {level}{f'{source}: ' if source else ''}{record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


class _JsonFormatter(logging.Formatter):
    """`{"time": ..., "level": ..., "source": ..., "message": ..., "exception": ...}`; absent members stay absent."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "source": _source(record),
            "message": record.getMessage(),
            "exception": self.formatException(record.exc_info) if record.exc_info else None,
        }
        return json.dumps({key: value for key, value in line.items() if value is not None})
