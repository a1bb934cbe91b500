"""What a plugin may ask the client or its user for in the middle of a call, and the answers; plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from agenthost.content import Content, Message, Text

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class Elicit:
    """A question to the user: a form to fill in, or a page to visit.

    Exactly one of `schema` and `url` is given. Never ask for a password or a key in a form; send the
    user to a page for that.

    Attributes:
        text: what the user reads.
        schema: a JSON Schema of the form: `"type": "object"` with properties that are texts, numbers,
            booleans or choices.
        url: the page that the user is asked to open.
    """

    text: str
    schema: Mapping[str, Any] | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that the client's model is to write.

    Attributes:
        messages: the conversation so far; a single text is one message of the user.
        max_tokens: how long the answer may be at most.
        system_prompt: what the model is told beforehand; the client may change it.
        temperature: as the client's model takes it.
        stop_sequences: texts that end the answer.
        model_preferences: hints for choosing a model, as in the protocol, for example
            `{"hints": [{"name": "small"}], "speedPriority": 1}`.
    """

    messages: str | Message | Sequence[str | Message]
    max_tokens: int
    system_prompt: str | None = None
    temperature: float | None = None
    stop_sequences: Sequence[str] = ()
    model_preferences: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that the client has opened for servers."""


Ask = Elicit | Sample | Roots
"""One thing to ask for."""


@dataclass(frozen=True, slots=True)
class InputRequired:
    """Returned instead of a result: the call needs answers first, and is made again with them.

    The function runs again from its beginning, with the answers in `ctx.inputs` and `state` in
    `ctx.input_state`; nothing else is kept, and it may be another process that runs it. A client may
    leave answers out: what is still missing is asked for again.

    Attributes:
        requests: what is asked for, under keys of the plugin's own choice.
        state: what the next run has to know, as JSON; the host seals it, so that the client can
            neither read nor change it.
    """

    requests: Mapping[str, Ask] = field(default_factory=dict)
    state: Any = None


@dataclass(frozen=True, slots=True)
class Elicited:
    """The user's answer to an `Elicit`.

    Attributes:
        action: `accept`, `decline` (the user said no) or `cancel` (the user closed the question).
        content: the form as filled in, as the client reports it: check what matters. Empty unless a
            form was accepted.
    """

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, str | int | float | bool | list[str] | None] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether the user agreed."""
        return self.action == "accept"


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the client's model wrote for a `Sample`.

    Attributes:
        content: the blocks of its message.
        model: the model's name, as the client reports it.
        role: who speaks, usually `assistant`.
        stop_reason: why it ended, for example `endTurn` or `maxTokens`, if known.
    """

    content: tuple[Content, ...]
    model: str
    role: Literal["user", "assistant"] = "assistant"
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(block.text for block in self.content if isinstance(block, Text))


@dataclass(frozen=True, slots=True)
class Root:
    """One folder that the client has opened for servers.

    Attributes:
        uri: its address, `file://...`.
        name: a name for people, if it has one.
    """

    uri: str
    name: str | None = None


Answer = Elicited | Sampled | tuple[Root, ...]
"""One answer, by what was asked: `Elicit`, `Sample` or `Roots`."""


class Inputs(Mapping[str, Answer]):
    """The answers that came with a call, by the keys under which they were asked for.

    Answers come from the client, which may send whatever it likes: the methods give None for a key
    that is not there and for an answer of another kind.
    """

    __slots__ = ("_answers",)

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        self._answers = dict(answers or {})

    def __getitem__(self, key: str) -> Answer:
        return self._answers[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __repr__(self) -> str:
        return f"Inputs({self._answers!r})"

    def elicited(self, key: str) -> Elicited | None:
        """The user's answer to an `Elicit`."""
        return self._of_kind(key, Elicited)

    def sampled(self, key: str) -> Sampled | None:
        """What the client's model wrote for a `Sample`."""
        return self._of_kind(key, Sampled)

    def roots(self, key: str) -> tuple[Root, ...] | None:
        """The folders for a `Roots`; there may be none of them."""
        return self._of_kind(key, tuple)

    def _of_kind(self, key: str, kind: type[AnswerT]) -> AnswerT | None:
        answer = self._answers.get(key)
        return answer if isinstance(answer, kind) else None
