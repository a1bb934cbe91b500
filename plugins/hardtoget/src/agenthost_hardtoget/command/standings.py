"""`agenthost hardtoget results` and `leaderboard`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click
from agenthost import App, PluginContext

from agenthost_hardtoget.games import Games
from agenthost_hardtoget.shapes import Leaderboard, Rate, Results

as_json = click.option("--json", "json_", is_flag=True, help="As JSON, for programs.")


@click.command("results")
@click.option("--model", default=None, help="Only games of this model.")
@click.option("-n", "--last", type=click.IntRange(1), default=20, show_default=True, help="How many games to show.")
@as_json
@click.pass_obj
def results(app: App, model: str | None, last: int, json_: bool) -> None:
    """List the games that were won or lost, newest first."""

    async def run(plugin: PluginContext[Any]) -> None:
        found: Results = await Games(plugin).results(model, last)
        if json_:
            _print_json(found)
            return
        if not found["results"]:
            click.echo("No game has been won or lost yet.")
            return
        _print_table(
            ("ENDED", "RESULT", "ROUNDS", "WITNESS", "DETECTIVE", "GAME"),
            [
                (
                    line["ended_at"][:16].replace("T", " "),
                    line["result"],
                    str(line["rounds"]),
                    line["witness_model"],
                    line["detective_model"],
                    line["game_id"],
                )
                for line in found["results"]
            ],
        )

    app.run(run)


@click.command("leaderboard")
@as_json
@click.pass_obj
def leaderboard(app: App, json_: bool) -> None:
    """Compare the models, and the pairs of them: games, wins, and the rate with its 95 % interval."""

    async def run(plugin: PluginContext[Any]) -> None:
        found: Leaderboard = await Games(plugin).leaderboard()
        if json_:
            _print_json(found)
            return
        if not found["models"]:
            click.echo("No game has been won or lost yet.")
            return
        _print_table(
            ("MODEL", "GAMES", "WINS", "RATE", "95 %", "AS WITNESS", "AS DETECTIVE"),
            [
                (
                    standing["model_name"],
                    *_shown(standing["overall"]),
                    _short(standing["as_witness"]),
                    _short(standing["as_detective"]),
                )
                for standing in found["models"]
            ],
        )
        click.echo()
        _print_table(
            ("WITNESS", "DETECTIVE", "GAMES", "WINS", "RATE", "95 %"),
            [(pair["witness_model"], pair["detective_model"], *_shown(pair["overall"])) for pair in found["pairs"]],
        )

    app.run(run)


def _shown(rate: Rate) -> tuple[str, str, str, str]:
    interval = f"{rate['low']:.0%}-{rate['high']:.0%}"
    return str(rate["games"]), str(rate["wins"]), f"{rate['rate']:.0%}", interval


def _short(rate: Rate | None) -> str:
    return f"{rate['wins']} of {rate['games']}" if rate is not None else "-"


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
