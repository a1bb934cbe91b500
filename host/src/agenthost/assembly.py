"""Everything that is decided before serving: configuration, loaded plugins, what to report."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agenthost.errors import OperatorError
from agenthost.findings import Finding
from agenthost.plugins import (
    Found,
    Plugin,
    Selection,
    bundled_distributions,
    find_plugins,
    keep_bundled,
    load_plugins,
    select,
)
from agenthost.settings import Config, HostSettings, load_config

log = logging.getLogger("agenthost")


@dataclass
class Options:
    """What the operator typed.

    Attributes:
        config: `--config`.
        state_dir: `--state-dir`.
        assignments: `--set`, in order.
        plugins: `--plugins`, or None if not given.
        strict: `--strict`.
        safe: `--safe`.
    """

    config: Path | None = None
    state_dir: Path | None = None
    assignments: list[str] = field(default_factory=list)
    plugins: str | None = None
    strict: bool = False
    safe: bool = False


@dataclass(frozen=True)
class Assembly:
    """The loaded plugins with the settings that apply.

    Attributes:
        config: the configuration with its origins.
        settings: the validated `[host]` table; `strict` includes `--strict`.
        found: all installed plugins.
        selection: those asked for.
        plugins: what loading those gave, in order.
        findings: what went wrong so far.
    """

    config: Config
    settings: HostSettings
    found: Mapping[str, Found]
    selection: Selection
    plugins: Sequence[Plugin]
    findings: Sequence[Finding]


def read_config(options: Options) -> tuple[Config, HostSettings]:
    """Read and validate the configuration.

    Raises:
        ConfigError: it cannot be used.
    """
    config = load_config(
        file=options.config, environment=os.environ, assignments=options.assignments, state_dir=options.state_dir
    )
    settings = config.host_settings()
    if config.path is not None:
        log.info("config: %s%s", config.path, "" if config.untrusted is None else " (found in the working directory)")
    return config, settings.model_copy(update={"strict": True}) if options.strict else settings


def assemble(
    options: Options,
    *,
    alone: str | None = None,
    values: Mapping[str, Any] | None = None,
    over_http: bool = False,
    serving: bool = True,
) -> Assembly:
    """Load the wanted plugins, or the plugin `alone` with settings `values` that win over all others.

    Args:
        options: what the operator typed.
        alone: the only plugin to load.
        values: its settings.
        over_http: the plugins are asked for their routes too.
        serving: False for a command of the plugin `alone`, which is told the plugins that would be served.

    Raises:
        OperatorError: the configuration or the selection cannot be used.
    """
    config, settings = read_config(options)
    found = find_plugins()
    if alone is not None:
        selection = Selection((alone,), explicit=True)
        config = config.with_values(alone, values or {}, f"agenthost {alone}")
    else:
        selection = select(options.plugins, settings, found)
        if options.safe:
            selection, others = keep_bundled(selection, found, bundled_distributions())
            if others:
                log.info("left out, because of --safe: %s", ", ".join(others))
    wanted = selection if serving else select(options.plugins, settings, found)
    plugins, findings = load_plugins(selection, config, settings, found, over_http=over_http, wanted=wanted.names)
    return Assembly(config, settings, found, selection, plugins, findings)


def require_start(assembly: Assembly, findings: Sequence[Finding]) -> None:
    """Refuse to serve what the operator would not want served.

    Raises:
        OperatorError: a plugin named on the command line failed, or `--strict` and anything to report.
    """
    if assembly.settings.strict and findings:
        raise OperatorError("\n".join([*(str(finding) for finding in findings), "not started, because of --strict"]))
    failed = [finding for finding in findings if finding.kind == "failed"]
    if assembly.selection.explicit and failed:
        raise OperatorError("\n".join(str(finding) for finding in failed))
