"""The strategy that asks a language model behind an OpenAI-compatible chat endpoint."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from agenthost import OperatorError

from agenthost_hardtoget.players import web
from agenthost_hardtoget.players.strategy import OverlapStrategy, Strategy
from agenthost_hardtoget.players.turns import DetectiveTurn, WitnessTurn
from agenthost_hardtoget.rules.deal import ROUNDS

T = TypeVar("T")

TRIES = 3
"""Questions about one move, before the fallback decides it or the trouble is reported."""

PATIENCE = 120.0
"""Seconds that a model may think about one answer."""

RULES = (
    "You play a word game for two. A board holds 16 words, one of them is the key word. Only the witness knows it. "
    f"In each of {ROUNDS} rounds the witness is shown a dilemma, two options, and says which of them fits the key word "
    "better; then the detective removes from the board words that do not fit that answer. Both win together when "
    "only the key word is left, and lose when it is removed or when the rounds are over. "
    "The witness may say nothing but the option."
)


class ChatStrategy:
    """Asks a model for every move, tells it what was wrong with its answer, and asks again.

    An answer that stays unusable is replaced by the fallback's, and noted.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        note: Callable[[str], None] = lambda _: None,
        fallback: Strategy | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            url: the endpoint, with or without `/chat/completions` at its end.
            model: the model's name at that endpoint.
            key: sent as a bearer token, if there is one.
            note: takes a sentence when the fallback had to decide.
            fallback: decides when the model does not.
            pause: sleeps so many seconds before a busy endpoint is asked again.
        """
        trimmed = url.rstrip("/")
        web.check_url(trimmed)
        self._url = trimmed if trimmed.endswith("/chat/completions") else f"{trimmed}/chat/completions"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._note = note
        self._fallback = fallback or OverlapStrategy()
        self._pause = pause

    def choose_dilemma_side(self, turn: WitnessTurn, /) -> str:
        """See `Strategy`."""
        task = (
            f"You are the witness. Round {turn.round} of {ROUNDS}. The key word is {_json(turn.key_word)}. "
            f"Which option fits it better: {_json(turn.dilemma[0])} or {_json(turn.dilemma[1])}? "
            'Answer with JSON and nothing else: {"choice": "the option, copied exactly"}'
        )
        wrong = f'That is not one of the two options {_json(turn.dilemma)}. Answer with JSON like {{"choice": ...}}.'
        side = self._ask(task, wrong, lambda answer: find_side(answer, turn.dilemma))
        return self._fallback.choose_dilemma_side(turn) if side is None else side

    def choose_eliminations(self, turn: DetectiveTurn, /) -> list[str]:
        """See `Strategy`."""
        task = (
            f"You are the detective. Round {turn.round} of {ROUNDS}. The words left: {_json(turn.board)}. "
            f"Asked to choose between {_json(turn.dilemma[0])} and {_json(turn.dilemma[1])}, the witness says that "
            f"{_json(turn.choice)} fits the key word better. Remove the words that fit it least. About {turn.share} "
            "now is an even pace, at least 1, and at the end only the key word may be left. "
            'Answer with JSON and nothing else: {"eliminate": ["word", ...]}, the words copied exactly'
        )
        wrong = (
            f"That names no words to remove, or all of them. The words left: {_json(turn.board)}. "
            'Answer with JSON like {"eliminate": [...]}.'
        )
        words = self._ask(task, wrong, lambda answer: find_words(answer, turn.board))
        return self._fallback.choose_eliminations(turn) if words is None else words

    def _ask(self, task: str, wrong: str, understand: Callable[[str], T | None]) -> T | None:
        messages = [{"role": "system", "content": RULES}, {"role": "user", "content": task}]
        for _ in range(TRIES):
            answer = self._answer(messages)
            found = understand(answer)
            if found is not None:
                return found
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": wrong}]
        self._note(f"{self._model} gave {TRIES} answers that are no moves; the strategy overlap decides this one")
        return None

    def _answer(self, messages: Sequence[dict[str, str]]) -> str:
        for left in reversed(range(TRIES)):
            try:
                reply = web.post(self._url, {"model": self._model, "messages": messages}, self._headers, PATIENCE)
            except web.NoAnswer:
                if not left:
                    raise
            else:
                if reply.status == 200:
                    return _content(reply, self._url)
                if not left or not (reply.status == 429 or reply.status >= 500):
                    raise OperatorError(f"{self._url} refused to answer: {_complaint(reply)}")
            self._pause(2.0 ** (TRIES - 1 - left))
        raise AssertionError("the last try returns or raises")


def find_side(answer: str, dilemma: tuple[str, str]) -> str | None:
    """The one side that an answer names, or None."""
    text = _spoken(answer)
    said = _members(text, "choice")
    named = {side for side in dilemma for one in said if _fold(one) == _fold(side)}
    if not named:
        named = _mentioned(text, dilemma)
    return named.pop() if len(named) == 1 else None


def find_words(answer: str, board: Sequence[str]) -> list[str] | None:
    """The words of the board that an answer lists, in its order, or None if it lists none or all of them."""
    text = _spoken(answer)
    listed = _members(text, "eliminate") or [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", one) for one in _items(text)]
    known = {_fold(word): word for word in board}
    found = list(dict.fromkeys(known[_fold(one)] for one in listed if _fold(one) in known))
    return found if 0 < len(found) < max(len(board), 2) else None


def _spoken(answer: str) -> str:
    """What a model says after it has thought aloud."""
    return re.sub(r"(?s)^.*</think(?:ing)?>", "", answer)


def _members(text: str, key: str) -> list[str]:
    """The texts under a key of the last JSON object in a text, or in its last JSON array."""
    found: list[str] = []
    decoder = json.JSONDecoder()
    position = 0
    while (start := _next_bracket(text, position)) is not None:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            continue
        if isinstance(value, dict):
            value = value.get(key)
        texts = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
        found = texts or found
    return found


def _next_bracket(text: str, position: int) -> int | None:
    match = re.compile(r"[{\[]").search(text, position)
    return match.start() if match else None


def _items(text: str) -> list[str]:
    return re.split(r"[,\n;]", text)


def _mentioned(text: str, sides: Sequence[str]) -> set[str]:
    """The sides that occur in a text as whole words; one that is part of the other does not count within it."""
    rest = f" {_fold(text)} "
    found = set()
    for side in sorted(sides, key=len, reverse=True):
        pattern = rf"(?<!\w){re.escape(_fold(side))}(?!\w)"
        if re.search(pattern, rest):
            found.add(side)
            rest = re.sub(pattern, " ", rest)
    return found


def _fold(text: str) -> str:
    return " ".join(text.casefold().strip(" \t\r\n\"'`*_.:").split())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _content(reply: web.Reply, url: str) -> str:
    """The text of a chat completion; some servers give it in parts."""
    match reply.json():
        case {"choices": [{"message": {"content": str(text)}}, *_]}:
            return text
        case {"choices": [{"message": {"content": list(parts)}}, *_]}:
            return "".join(
                part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
            )
        case {"choices": [{"message": dict()}, *_]}:
            return ""
    raise OperatorError(f"{url} does not answer like a chat endpoint: {_complaint(reply)}")


def _complaint(reply: web.Reply) -> str:
    """An endpoint's own words, short."""
    match reply.json():
        case {"error": {"message": str(text)}} | {"error": str(text)}:
            words = text
        case _:
            words = reply.text
    short = " ".join(words.split())[:200]
    return f"HTTP {reply.status}, {short}" if short else f"HTTP {reply.status}"
