"""The command `agenthost hardtoget`: what a person does with the game in a terminal."""

from __future__ import annotations

import click

from agenthost_hardtoget.command.data import data
from agenthost_hardtoget.command.play import play
from agenthost_hardtoget.command.serve import serve
from agenthost_hardtoget.command.standings import leaderboard, results
from agenthost_hardtoget.command.watch import watch


@click.group("hardtoget")
def command() -> None:
    """Play the games of witnesses and detectives, watch them, and look at what they are played with."""


for subcommand in (play, watch, serve, results, leaderboard, data):
    command.add_command(subcommand)
