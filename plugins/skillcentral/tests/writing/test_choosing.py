"""In which layer a new skill goes, if nobody says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from agenthost_skillcentral.model import Layer
from agenthost_skillcentral.writing.choosing import choose_layer
from agenthost_skillcentral.writing.places import NotWritten

USUAL = [
    Layer(name, name, Path("/p/.skills") / name, priority)
    for name, priority in (("01-global", 10), ("02-workflows", 20), ("03-domains", 30), ("04-tech-stack", 40))
]


@pytest.mark.parametrize(
    ("tags", "layer", "folder"),
    [
        ((), "02-workflows", ""),
        (("something",), "02-workflows", ""),
        (("Mindset",), "01-global", ""),
        (("git", "docker"), "03-domains", ""),
        (("git", "python"), "04-tech-stack", "languages"),
        (("react",), "04-tech-stack", "frameworks"),
        (("react", "typescript"), "04-tech-stack", "languages"),
        (("c++",), "04-tech-stack", "languages"),
    ],
)
def test_tags_choose_the_layer_of_the_highest_priority(tags: tuple[str, ...], layer: str, folder: str) -> None:
    chosen, below = choose_layer(USUAL, None, tags)
    assert (chosen.id, below) == (layer, folder)
    renamed = [replace(one, id=one.id[3:]) for one in USUAL]
    assert choose_layer(renamed, None, tags)[0].path == chosen.path, "as in the configuration that init writes"


def test_a_layer_is_named_if_nothing_else_tells_which() -> None:
    mine, theirs = Layer("a", "Mine", Path("/a"), 1), Layer("b", "b", Path("/b"), 2)
    closed = replace(theirs, writable=False)
    with pytest.raises(NotWritten, match="--layer; writable are: a, b"):
        choose_layer([mine, theirs], None, ())
    assert choose_layer([mine, closed], None, ("git",)) == (mine, "")
    assert choose_layer([mine, theirs], "Mine", ()) == (mine, "")
    with pytest.raises(NotWritten, match="not writable; writable are: a"):
        choose_layer([mine, closed], "b", ())
    with pytest.raises(NotWritten, match="there is no layer 'c'"):
        choose_layer([mine], "c", ())
