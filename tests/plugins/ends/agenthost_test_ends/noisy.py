"""Prints to standard output wherever plugin code runs; nothing of it may reach the wire."""

# ruff: noqa: T201, S605  (printing is what this plugin is for)

from __future__ import annotations

import atexit
import ctypes
import logging
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agenthost import PluginContext, Tool, hookimpl, tool
from pydantic import BaseModel

kept_stdout = sys.stdout
"""As a module keeps it that was imported before anybody redirects anything."""


def shout(where: str) -> None:
    """Write to standard output in every way there is."""
    print(f"noise {where}: print")
    print(f"noise {where}: print unflushed", end="", flush=False)
    kept_stdout.write(f"noise {where}: kept sys.stdout\n")
    assert sys.__stdout__ is not None
    sys.__stdout__.write(f"noise {where}: sys.__stdout__\n")
    os.write(1, f"noise {where}: os.write\n".encode())
    ctypes.CDLL(None).puts(f"noise {where}: libc".encode())
    subprocess.run(["sh", "-c", f"echo 'noise {where}: child'"], check=True)
    os.system(f"echo 'noise {where}: os.system'")
    if not (child := os.fork()):
        os.write(1, f"noise {where}: fork\n".encode())
        os._exit(0)
    os.waitpid(child, 0)


shout("import")
atexit.register(shout, "exit")


class Settings(BaseModel):
    pass


@hookimpl
def agenthost_settings() -> type[Settings]:
    shout("settings")
    return Settings


@tool
async def noise() -> str:
    """Make noise on the loop."""
    shout("tool")
    logging.basicConfig(stream=sys.stdout, force=True)
    logging.getLogger("noisy").warning("noise tool: logging")
    return "quiet"


@tool
def noise_in_thread() -> str:
    """Make noise in a thread of the host, and in one that goes on when the call is over."""
    shout("thread")
    threading.Thread(target=shout, args=("stray thread",)).start()
    return "quiet"


@tool
def read_input() -> str:
    """Try to take away what the client sends."""
    return repr((sys.stdin.read(), os.read(0, 10)))


@hookimpl
def agenthost_tools() -> list[Tool]:
    shout("tools")
    return [noise, noise_in_thread, read_input]


@hookimpl
def agenthost_instructions() -> str:
    shout("instructions")
    return "Noisy."


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Any]) -> Any:
    shout("lifespan")
    return _live()


@asynccontextmanager
async def _live() -> AsyncIterator[None]:
    shout("enter")
    yield
    shout("leave")
