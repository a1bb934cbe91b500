"""The command `agenthost hardtoget`: what a person does with the game in a terminal."""

from __future__ import annotations

import click

from agenthost_hardtoget.command.data import data
from agenthost_hardtoget.command.standings import leaderboard, results


@click.group("hardtoget")
def command() -> None:
    """Look at the games of witnesses and detectives, and at what they are played with."""


for subcommand in (results, leaderboard, data):
    command.add_command(subcommand)
