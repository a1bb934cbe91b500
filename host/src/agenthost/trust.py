"""The mark on settings that a config file found in the working directory may not set."""


class Trusted:
    """Mark a setting that only the operator may give: `debug_log: Annotated[Path | None, Trusted]`.

    A config file in the working directory may have come with a cloned repository. A marked setting
    (a path that is written, a switch that allows writing, a secret) is refused there, and accepted
    from `--config`, `$AGENTHOST_CONFIG`, the user's own file, `--set` and command-line options.
    """
