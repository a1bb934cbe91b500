"""`agenthost hardtoget watch`: a game, live in a terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import takewhile
from typing import Any

import click
from agenthost import App, OperatorError, PluginContext

from agenthost_hardtoget.command.text import plain
from agenthost_hardtoget.errors import UnknownGame
from agenthost_hardtoget.games import Games
from agenthost_hardtoget.shapes import Spectated

WAIT = 3600.0
"""Seconds after which a wait for the next move begins anew."""

NAMED = 10
"""Games being played that are named to somebody who asks for one that is not there."""


@click.command("watch")
@click.argument("game")
@click.pass_obj
def watch(app: App, game: str) -> None:
    """Follow GAME live: its words, its rounds and how it ends, until then or until you press Ctrl-C.

    The key word is shown when the game is over.
    """

    async def run(plugin: PluginContext[Any]) -> None:
        shown: list[str] = []
        games = Games(plugin)
        try:
            async for found in follow(games, game):
                lines = list(narrate(found))
                same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(shown, lines, strict=False))))
                for line in lines[same:]:
                    click.echo(plain(line))
                shown = lines
        except UnknownGame:
            running = [each["game_id"] for each in (await games.listed())["games"] if each["phase"] != "finished"]
            others = f"being played: {', '.join(running[:NAMED])}" if running else "no game is being played"
            raise OperatorError(f"there is no game {game!r} in this state folder; {others}") from None

    app.run(run)


async def follow(games: Games, game_id: str) -> AsyncIterator[Spectated]:
    """The game as it is now, and again after each change, until it is over."""
    game: Spectated | None = await games.spectate(game_id)
    seq = 0
    while True:
        if game is not None:
            yield game
            if game["phase"] == "finished":
                return
            seq = game["seq"]
        game = await games.wait_spectating(game_id, seq, WAIT)


def narrate(game: Spectated) -> Iterator[str]:
    """The game so far, line by line. When it goes on, its later story begins with the same lines."""
    yield f"Game {game['game_id']}"
    if game["witness_model"] is not None and game["detective_model"] is not None:
        yield f"Witness: {game['witness_model']}. Detective: {game['detective_model']}."
        yield f"The words: {_listed(_board_before(game, 0))}"
    for position, played in enumerate(game["rounds"]):
        first, second = played["dilemma"]
        yield f"Round {played['round']}: {first}, or {second}?"
        yield f"  The witness: {played['witness_choice']}"
        if played["eliminated_words"] is not None:
            yield f"  The detective removes: {_listed(played['eliminated_words'])}"
            left = _board_before(game, position + 1)
            yield f"  {len(left)} {'word is' if len(left) == 1 else 'words are'} left: {_listed(left)}"
    if game["phase"] == "witness_turn" and game["dilemma"] is not None:
        first, second = game["dilemma"]
        yield f"Round {game['round']}: {first}, or {second}?"
    if game["outcome"] is not None:
        reason = f" ({game['ended_by']})" if game.get("ended_by", "moves") != "moves" else ""
        yield f"The game is over: {game['outcome']}{reason}."
        if "key_word" in game:
            yield f"The key word was: {game['key_word']}"


def _board_before(game: Spectated, position: int) -> list[str]:
    """The words that were there before the round at this position; those of later rounds are put back."""
    later = [word for played in game["rounds"][position:] for word in played["eliminated_words"] or ()]
    return [*game["board"], *later]


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(words, key=str.casefold))
