"""Hostile texts: refused soon, in little memory, with a place; and what stands just inside each bound is read."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from nvcre_render import source
from nvcre_render.diagnostics import Diagnostic

FILE = "run.yaml"
MEBIBYTE = 1024 * 1024


def bomb(first: str, level: str, levels: int = 9) -> str:
    """Return `levels` lines, each with an anchor and nine aliases of the line before; `level` holds the nine as %s."""
    lines = [f"l0: &l0 {first}"]
    for number in range(1, levels + 1):
        nine = ", ".join([f"*l{number - 1}"] * 9)
        lines.append(f"l{number}: &l{number} {level % nine}")
    return "\n".join(lines) + "\n"


HOSTILE: dict[str, tuple[Callable[[], str], str]] = {
    "lists of lists": (lambda: bomb("[lol, lol]", "[%s]"), "NR105"),
    "mappings of lists": (lambda: bomb("{a: 1}", "{k: [%s]}"), "NR105"),
    "merges of merges": (lambda: bomb("{a: 1}", "{<<: [%s]}"), "NR105"),
    "a bomb of forty levels": (lambda: bomb("x", "[%s]", 40), "NR105"),
    "a long text repeated": (lambda: f"a: &a {'x' * 100_000}\nb: [{'*a, ' * 1000}]\n", "NR105"),
    "a long key repeated": (lambda: f"a: &a\n  ? {'k' * 100_000}\n  : 1\nb: [{'*a, ' * 1000}]\n", "NR105"),
    "a list that holds itself": (lambda: "a: &a [*a]\n", "NR105"),
    "a list that holds itself twice": (lambda: "a: &a [*a, *a]\n", "NR105"),
    "a mapping that holds itself": (lambda: "a: &a {b: {c: [*a]}}\n", "NR105"),
    "a mapping that merges itself": (lambda: "a: &a\n  <<: *a\n", "NR105"),
    "a mapping that merges itself twice": (lambda: "a: &a\n  <<: [*a, *a]\n", "NR105"),
    "10,000 open lists": (lambda: "[" * 10_000, "NR108"),
    "10,000 closed lists": (lambda: "[" * 10_000 + "]" * 10_000, "NR108"),
    "10,000 mappings": (lambda: "{a: " * 10_000 + "1" + "}" * 10_000, "NR108"),
    "10,000 block lists": (lambda: "- " * 10_000 + "1\n", "NR108"),
    "10,000 keys that are mappings": (lambda: "? " * 10_000 + "1\n", "NR108"),
    "JSON of 10,000 levels": (lambda: '{"a":' * 10_000 + '"\x7f"' + "}" * 10_000, "NR108"),
    "1,000,000 levels": (lambda: "[" * 1_000_000, "NR108"),
    "10 MB plain": (lambda: f"a: {'x' * 10 * MEBIBYTE}\n", "NR106"),
    "10 MB quoted": (lambda: f'a: "{"x" * 10 * MEBIBYTE}"\n', "NR106"),
    "10 MB of lines": (lambda: "a: |\n" + f"  {'x' * 99}\n" * 100_000, "NR106"),
    "10 MB of a key": (lambda: f"? {'k' * 10 * MEBIBYTE}\n: 1\n", "NR106"),
    "10 MB of digits": (lambda: f"a: {'1' * 10 * MEBIBYTE}\n", "NR106"),
    "20,000 tag directives": (lambda: "".join(f"%TAG !t{n}! tag:x\n" for n in range(20_000)) + "---\na: 1\n", "NR106"),
}


@pytest.fixture
def memory() -> Iterator[None]:
    """Fail a test whose Python objects take more than 100 MiB at once."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * MEBIBYTE


def refused(text: str | bytes) -> Diagnostic:
    """Return the one finding of a text, whose place lies inside the text."""
    documents, findings = source.read(text, FILE)
    (found,) = findings
    assert found.position is not None
    lines = text.splitlines() if isinstance(text, str) else text.decode().splitlines()
    assert 1 <= found.position.line <= len(lines)
    assert 1 <= found.position.column <= len(lines[found.position.line - 1]) + 1
    assert all("x" * 1000 not in str(document.data) for document in documents)
    return found


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("memory")
def test_a_hostile_text_is_refused_in_bounded_time_and_memory(name: str) -> None:
    build, code = HOSTILE[name]
    text = build()
    began = time.process_time()
    found = refused(text)
    assert found.code == code
    assert time.process_time() - began < 1


@pytest.mark.parametrize("name", ["10,000 open lists", "10,000 mappings", "10,000 block lists", "merges of merges"])
def test_a_small_stack_is_enough(name: str) -> None:
    build, code = HOSTILE[name]
    found: list[Diagnostic] = []
    before = threading.stack_size(512 * 1024)  # what threads have on macOS
    try:
        thread = threading.Thread(target=lambda: found.append(refused(build())))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert [one.code for one in found] == [code]


def test_the_place_of_a_bomb_is_a_value_that_repeats() -> None:
    found = refused(bomb("[lol, lol]", "[%s]"))
    assert found.position is not None
    assert found.position.line <= 5  # four levels of nine are 6,561 lists of two, five are too many
    assert found.message == "aliases repeat more than 20,000 values or too much text"


def test_an_alias_inside_its_own_anchor_is_named_as_such() -> None:
    found = refused("a: 1\nb: &b {c: [*b]}\n")
    assert found.message == "an alias stands inside its own anchor, or aliases nest too deep"
    assert str(found.position).startswith(f"{FILE}:2:")


def test_as_many_aliases_as_allowed_are_read() -> None:
    repeated = "*a, " * source.MAX_ALIASED
    (document,), findings = source.read(f"a: &a 1\nb: [{repeated}]\n", FILE)
    assert findings == []
    assert document.data["b"] == [1] * source.MAX_ALIASED
    assert refused(f"a: &a 1\nb: [{repeated} *a]\n").code == "NR105"


@pytest.mark.parametrize(("size", "uses"), [(1, 20_000), (63, 20_000), (64, 10_000), (640, 1818)])
def test_repeated_texts_weigh_a_value_for_every_64_characters(size: int, uses: int) -> None:
    anchor = f"a: &a {'x' * size}\n"
    assert source.read(f"{anchor}b: [{'*a, ' * uses}]\n", FILE)[1] == []
    assert refused(f"{anchor}b: [{'*a, ' * (uses + 1)}]\n").code == "NR105"


def test_a_script_used_by_many_is_read() -> None:
    script = "    echo a line of a script, as long as lines are\n" * 100
    text = f"a: &a |\n{script}b: [{'*a, ' * 100}]\n"
    (document,), findings = source.read(text, FILE)
    assert findings == []
    assert document.data["b"] == [document.data["a"]] * 100


@pytest.mark.parametrize(
    ("opening", "closing", "width"),
    [("[", "]", 1), ("{a: ", "}", 4), ("- ", "", 2)],
    ids=["flow list", "flow mapping", "block list"],
)
def test_a_hundred_levels_are_read_and_one_more_is_not(opening: str, closing: str, width: int) -> None:
    inner = "" if closing == "]" else "1"
    (document,), findings = source.read(opening * 100 + inner + closing * 100, FILE)
    assert findings == []
    assert str(document.data).count("[") + str(document.data).count("{") == 100
    found = refused(opening * 101 + inner + closing * 101)
    assert (found.code, found.message) == ("NR108", "nested more than 100 levels deep")
    assert str(found.position) == f"{FILE}:1:{100 * width + 1}"


def test_block_mappings_may_nest_a_hundred_levels_too() -> None:
    levels = [f"{' ' * level}a:\n" for level in range(101)]
    (document,), findings = source.read("".join(levels[:100]), FILE)
    assert findings == []
    assert document.position(("a",) * 100) is not None
    found = refused("".join(levels))
    assert (found.code, str(found.position)) == ("NR108", f"{FILE}:101:101")


@pytest.mark.parametrize("style", ["a: %s\n", 'a: "%s"\n', "a: '%s'\n", "? %s\n: 1\n"])
def test_a_text_of_one_mebibyte_is_read_and_one_more_character_is_not(style: str) -> None:
    longest = "x" * MEBIBYTE
    (document,), findings = source.read(style % longest, FILE)
    assert findings == []
    assert longest in (document.data.get("a"), *document.data)
    found = refused(style % ("x" * (MEBIBYTE + 1)))
    assert found.message == "a text of 1,048,577 characters; the limit is 1,048,576"
    assert str(found.position) == f"{FILE}:1:{style.index('%s') + 1 if '?' in style else 4}"


@pytest.mark.parametrize("comment", ["#", b"#"])
def test_a_file_beyond_the_limit_is_not_even_parsed(comment: str | bytes) -> None:
    found = refused(comment * (source.MAX_TEXT + 1))
    assert (found.code, str(found.position)) == ("NR106", f"{FILE}:1:1")
    assert found.message == "the text is 33,554,433 bytes long; the limit is 33,554,432"


def test_a_file_as_large_as_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_TEXT", 6)
    (document,), findings = source.read(b"a: 12\n", FILE)
    assert (document.data, findings) == ({"a": 12}, [])
    assert refused(b"a: 123\n").code == "NR106"


def test_the_number_of_keys_and_values_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_NODES", 100)
    documents, findings = source.read("- a\n" * 99, FILE)  # the list and its items
    assert (documents[0].data, findings) == (["a"] * 99, [])
    for text in ("- a\n" * 100, "a: 1\n" * 50, "--- 1\n" * 101, "- [a]\n" * 50):
        found = source.read(text, FILE)[1][-1]
        assert (found.code, found.message) == ("NR106", "the text holds more than 100 keys and values")
        assert str(found.position) == f"{FILE}:1:1"


def test_the_bound_stands_where_a_large_file_is_still_read() -> None:
    assert source.MAX_NODES == 250_000
    items = "- {a: 1, b: [x, z]}\n" * 12_000  # 84,001 nodes
    (document,), findings = source.read(items, FILE)
    assert findings == []
    assert document.data[-1] == {"a": 1, "b": ["x", "z"]}


def test_as_many_directives_as_allowed_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_DIRECTIVES", 2)
    text = "%TAG !a! tag:x\n%TAG !b! tag:y\n---\na: 1\n"
    (document,), findings = source.read(text, FILE)
    assert (document.data, findings) == ({"a": 1}, [])
    found = refused(f"%TAG !c! tag:z\n{text}")
    assert (found.code, found.message, str(found.position)) == ("NR106", "more than 2 %TAG directives", f"{FILE}:1:1")
