"""`agenthost hardtoget play`: a player that is a program, at any server of the game."""

from __future__ import annotations

import os
from collections.abc import Callable

import click
from agenthost import OperatorError

from agenthost_hardtoget.command.text import plain
from agenthost_hardtoget.players import OverlapStrategy, Player, RandomStrategy, Strategy, connect
from agenthost_hardtoget.players import play as play_game
from agenthost_hardtoget.players.chat import ChatStrategy

TOKEN = "AGENTHOST_TOKEN"  # noqa: S105 - the name of a variable
"""The environment variable with the token of a server that wants one."""


@click.command("play")
@click.argument("url")
@click.argument("model")
@click.option(
    "--role",
    type=click.Choice(["witness", "detective"], case_sensitive=False),
    help="The part to play; without it, whichever is free.",
)
@click.option(
    "--strategy",
    "name",
    type=click.Choice(["overlap", "random", "chat"]),
    default="overlap",
    show_default=True,
    help="What decides: likeness of letters, chance, or MODEL at a chat endpoint.",
)
@click.option(
    "--chat-url", metavar="URL", help="For chat: an OpenAI-compatible endpoint, as http://localhost:11434/v1."
)
@click.option(
    "--chat-key-env",
    metavar="NAME",
    default="OPENAI_API_KEY",
    show_default=True,
    help="For chat: the environment variable with the key, if the endpoint wants one.",
)
@click.option("--against", type=click.Choice(["bot"]), help="Let a bot take the other seat, if nobody waits there.")
@click.option("--games", type=click.IntRange(1), default=1, show_default=True, help="How many games to play.")
def play(
    url: str,
    model: str,
    role: str | None,
    name: str,
    chat_url: str | None,
    chat_key_env: str,
    against: str | None,
    games: int,
) -> None:
    """Play as MODEL at the server at URL.

    If the path of URL ends in /mcp, the player speaks MCP; else the API of the original hardtoget. A server that
    wants a token gets the one in the environment variable AGENTHOST_TOKEN.
    """
    strategy = _strategy(name, chat_url, model, chat_key_env)
    token = os.environ.get(TOKEN) or None
    tables = [connect(url, token)]
    try:
        tables[0].register(model)
        bot = None
        if against is not None:
            tables.append(connect(url, token))
            tables[1].register(against)
            bot = Player(against, tables[1], OverlapStrategy())
        player = Player(model, tables[0], strategy)
        for _ in range(games):
            play_game(player, role.title() if role else None, bot=bot, say=_say)
    finally:
        for table in tables:
            table.close()


def _strategy(name: str, chat_url: str | None, model: str, chat_key_env: str) -> Strategy:
    if name != "chat":
        if chat_url is not None:
            raise OperatorError("--chat-url is for --strategy chat; add that, or leave the address out")
        return RandomStrategy() if name == "random" else OverlapStrategy()
    if chat_url is None:
        raise OperatorError("--strategy chat needs --chat-url, the address of the chat endpoint")
    return ChatStrategy(chat_url, model, os.environ.get(chat_key_env), note=_say)


_say: Callable[[str], None] = lambda line: click.echo(plain(line))  # noqa: E731
