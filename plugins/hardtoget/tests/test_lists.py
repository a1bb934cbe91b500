"""The lists of words and dilemmas: those of the package, and the operator's."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agenthost_hardtoget.lists import BUILT_IN, DILEMMAS, WORDS
from agenthost_hardtoget.rules.lists import BadList, read_dilemmas, read_words
from agenthost_hardtoget.rules.texts import fold

Run = Callable[..., subprocess.CompletedProcess[str]]

GOOD_WORDS = "\n".join(f"word {number}" for number in range(16))
GOOD_DILEMMAS = "\n".join(f"this {number}, that {number}" for number in range(5))


@pytest.fixture
def run(agenthost_environment: dict[str, str], tmp_path: Path) -> Run:
    """Run agenthost to its end, in the folder of the test."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "agenthost", *arguments]
        return subprocess.run(
            command, env=agenthost_environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def built_in() -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    words = read_words((BUILT_IN / WORDS).read_text(encoding="utf-8"))
    return words, read_dilemmas((BUILT_IN / DILEMMAS).read_text(encoding="utf-8"))


def test_there_are_enough_words_and_dilemmas_and_all_are_different() -> None:
    words, dilemmas = built_in()
    assert len(words) == len({fold(word) for word in words}) >= 500
    assert len(dilemmas) == len({frozenset(map(fold, dilemma)) for dilemma in dilemmas}) >= 150
    options = [option for dilemma in dilemmas for option in dilemma]
    assert len({fold(option) for option in options}) == len(options)
    assert not any(re.search(r"\d", entry) for entry in (*words, *options))


def test_no_dilemma_names_a_word_and_no_word_another() -> None:
    words, dilemmas = built_in()
    texts = [*words, *(option for dilemma in dilemmas for option in dilemma)]
    for word in words:
        assert [text for text in texts if re.search(rf"\b{re.escape(word)}\b", text) and text != word] == []


def test_blank_lines_and_the_habits_of_editors_do_not_matter() -> None:
    text = "\ufeff" + "\r\n\r\n".join(f"  word {number} " for number in range(16)) + "\r\n"
    assert read_words(text) == tuple(f"word {number}" for number in range(16))
    assert read_dilemmas("\ufeffa ,b\r\n\r\n" + GOOD_DILEMMAS)[0] == ("a", "b")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{GOOD_WORDS}\n\nWord  3", "line 18: 'Word  3' is in line 4 already"),
        (GOOD_WORDS.removesuffix("\nword 15"), "has 15 words, and a board needs 16"),
        ("", "has 0 words"),
        (f"{GOOD_WORDS}\n{'x' * 101}", "line 17: has 101 characters"),
        (f"{GOOD_WORDS}\nbell\x07", "line 17: 'bell\\x07' has characters that cannot be shown"),
    ],
)
def test_h38_words_that_cannot_be_played_with_are_refused_by_line(text: str, fault: str) -> None:
    with pytest.raises(BadList) as raised:
        read_words(text)
    [told] = raised.value.faults
    assert told.startswith(fault)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{GOOD_DILEMMAS}\none option", "line 6: has to be two options with one comma"),
        (f"one, two, three\n{GOOD_DILEMMAS}", "line 1: has to be two options with one comma"),
        (f"{GOOD_DILEMMAS}\n\none,", "line 7: has to be two options with one comma"),
        (f"{GOOD_DILEMMAS}\nSame,  same ", "line 6: both options are 'Same'"),
        (f"{GOOD_DILEMMAS}\nTHAT 0, this 0", "line 6: the dilemma 'THAT 0' or 'this 0' is in line 1 already"),
        (GOOD_DILEMMAS.removesuffix("\nthis 4, that 4"), "has 4 dilemmas, and a game needs 5"),
    ],
)
def test_h38_dilemmas_that_cannot_be_played_with_are_refused_by_line(text: str, fault: str) -> None:
    with pytest.raises(BadList) as raised:
        read_dilemmas(text)
    [told] = raised.value.faults
    assert told.startswith(fault)


def test_h38_every_fault_of_both_files_is_told_at_start_with_file_and_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "my words.txt").write_text(f"{GOOD_WORDS}\nword 0\nword 1", encoding="utf-8")
    (tmp_path / "my dilemmas.txt").write_text("a, b, c", encoding="utf-8")
    (tmp_path / "agenthost.toml").write_text(
        '[plugins.hardtoget]\nwords = "my words.txt"\ndilemmas = "my dilemmas.txt"\n', encoding="utf-8"
    )
    told = run("serve", "--plugins", "hardtoget")
    assert told.returncode == 2
    for fault in (
        f"words {tmp_path / 'my words.txt'}: line 17: 'word 0' is in line 1 already",
        f"words {tmp_path / 'my words.txt'}: line 18: 'word 1' is in line 2 already",
        f"dilemmas {tmp_path / 'my dilemmas.txt'}: line 1: has to be two options",
    ):
        assert fault in told.stderr
    assert "line 17" in run("plugins").stdout


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"word 1\nword 2\n\xff\xfe\n", "line 3: is not UTF-8"),
        ("\n".join(["same"] * 100).encode(), "and 79 faults more"),
    ],
)
def test_h38_a_file_that_is_no_list_is_told_at_start(
    run: Run, tmp_path: Path, content: bytes | None, fault: str
) -> None:
    if content is not None:
        (tmp_path / "words.txt").write_bytes(content)
    told = run("serve", "--plugins", "hardtoget", "--set", "hardtoget.words=words.txt")
    assert told.returncode == 2
    assert f"words {tmp_path / 'words.txt'}: " in told.stderr
    assert fault in told.stderr


def test_games_are_dealt_from_the_operators_files(run: Run, tmp_path: Path, start_agent: Callable[..., object]) -> None:
    (tmp_path / "w.txt").write_text(GOOD_WORDS, encoding="utf-8")
    (tmp_path / "d.txt").write_text(GOOD_DILEMMAS, encoding="utf-8")
    agent = start_agent(f"words={tmp_path / 'w.txt'}", f"dilemmas={tmp_path / 'd.txt'}")
    client_id = agent("register")["client_id"]  # type: ignore[operator]
    joined = agent("join_game", client_id=client_id)  # type: ignore[operator]
    assert sorted(joined["board"]) == sorted(GOOD_WORDS.splitlines())


def test_the_built_in_lists_can_be_written_edited_and_played_with(run: Run, tmp_path: Path) -> None:
    written = run("hardtoget", "data", "--write", "lists")
    assert written.returncode == 0, written.stderr
    for name in (WORDS, DILEMMAS):
        assert (tmp_path / "lists" / name).read_bytes() == (BUILT_IN / name).read_bytes()
    (tmp_path / "agenthost.toml").write_text(written.stdout.partition("\n\n")[2], encoding="utf-8")
    with (tmp_path / "lists" / WORDS).open("a", encoding="utf-8") as file:
        file.write("a word of mine\n")
    words, dilemmas = built_in()
    told = run("hardtoget", "data").stdout
    assert f"{len(words) + 1} words, {tmp_path / 'lists' / WORDS}" in told
    assert f"{len(dilemmas)} dilemmas, {tmp_path / 'lists' / DILEMMAS}" in told


def test_writing_the_lists_overwrites_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / DILEMMAS).write_text("mine", encoding="utf-8")
    refused = run("hardtoget", "data", "--write", ".")
    assert refused.returncode == 2
    assert DILEMMAS in refused.stderr
    assert (tmp_path / DILEMMAS).read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / WORDS).exists()


def test_without_files_the_built_in_lists_are_told(run: Run) -> None:
    words, dilemmas = built_in()
    assert run("hardtoget", "data").stdout.splitlines() == [
        f"{len(words)} words, built in",
        f"{len(dilemmas)} dilemmas, built in",
    ]
