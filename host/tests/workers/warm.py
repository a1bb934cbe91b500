"""Runs `agenthost` commands, each in a child forked off a process that has imported everything.

A new interpreter takes forty times as long, and there are hundreds of commands. Usage: python warm.py;
every line on stdin is a JSON object with `arguments`, `cwd`, `env`, and the files `out` and `err` for
what is printed; every answer is a line with the exit code.
"""

from __future__ import annotations

# ruff: noqa: T201  (its stdout is how it answers)
import importlib
import json
import os
import pkgutil
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import agenthost.cli
import agenthost.clients

for package in (agenthost.cli, agenthost.clients):
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
for name in ("jsonschema", "mcp.client.stdio", "mcp_types.methods"):  # what commands import when they need it
    importlib.import_module(name)


def run(order: dict[str, Any]) -> NoReturn:
    """Be the process that the order describes."""
    code: Any = 1
    try:
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["env"])
        sys.path[1:1] = filter(None, order["env"].get("PYTHONPATH", "").split(os.pathsep))
        opened = [os.open(os.devnull, os.O_RDONLY)]
        opened += [os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for name in ("out", "err")]
        for number, descriptor in enumerate(opened):
            os.dup2(descriptor, number)
        sys.argv = [str(Path(agenthost.cli.__file__).parents[1] / "__main__.py"), *order["arguments"]]
        agenthost.cli.main(order["arguments"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001  (as the interpreter does)
        traceback.print_exc()
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code or 0)


for line in sys.stdin:
    child = os.fork()
    if child == 0:
        run(json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
