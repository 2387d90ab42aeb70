"""The parts of the server: names, answers, judging processes, and the desk."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hbtom.bench.dataset import find_pairs
from hbtom.bench.pairs import Dataset, Member, Pair
from hbtom.errors import BadInput
from hbtom.model import Model
from hbtom.show.server import judges as processes
from hbtom.show.server import listing, navigation
from hbtom.show.server.catalogue import Catalogue, Selection, catalogue, printable
from hbtom.show.server.judges import Judges
from hbtom.show.server.session import RequestCache, Session, choice_of_models
from shelves import FEW, MANY, NAMED, PAIRS


def dataset(*names: tuple[str, str]) -> Dataset:
    """Return a dataset of pairs with these tasks and names, without files."""
    return Dataset(
        "/somewhere/shelf",
        tuple(
            Pair(Member(task, pair, "e", "nothing"), Member(task, pair, "u", "nothing"))
            for task, pair in names
        ),
    )


# Names


def test_names_that_cannot_be_printed_stay_distinct() -> None:
    names = ["a\udcff", "a\udcfe", "a?", "a? (2)", "b\n", "b"]
    shown = printable(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(name.isprintable() for name in shown.values())
    assert (shown["a\udcff"], shown["b"]) == ("a?", "b")


def test_every_pair_is_found_only_by_its_names() -> None:
    odd = [("t\udcff", "x\0"), ("t\udcff", "x\1"), ("t?", "x?"), ("preference", "../../x")]
    found = catalogue(dataset(*odd))
    for entry in found.entries:
        assert found.find(entry.task, entry.name) is entry
        assert (entry.task + entry.name).isprintable()
    assert len(found.index) == len(odd)
    assert found.find("t\udcff", "x\0") is None
    assert found.find("preference", "..") is None


def test_tasks_are_named_as_in_the_paper() -> None:
    found = catalogue(dataset(("efficiency_path", "1"), ("my_own", "1"), ("my_own", "2")))
    known, own = found.sections.values()
    assert (known.label, known.group, known.pairs) == ("Path Control", "Efficiency", 1)
    assert (own.label, own.about, own.pairs) == ("my_own", "", 2)


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(), ["12", "13", "12"]),
        (Selection(task="preference"), ["12"]),
        (Selection(search="12"), ["12", "12"]),
        (Selection(search="PATH 2"), ["12"]),
        (Selection(search="path preference"), []),
        (Selection(search="  "), ["12", "13", "12"]),
        (Selection(task="efficiency_path", search="3"), ["13"]),
    ],
)
def test_a_selection_is_by_task_and_by_words(selection: Selection, names: list[str]) -> None:
    found = catalogue(
        dataset(("efficiency_path", "12"), ("efficiency_path", "13"), ("preference", "12"))
    )
    assert [entry.name for entry in found.within(selection)] == names


def test_the_models_to_choose_from(tmp_path: Path) -> None:
    assert list(choice_of_models("paper")) == ["paper", "default", "default-0.1", "people"]
    own = tmp_path / "own.toml"
    own.write_text('base = "paper"\nname = "mine"\n')
    assert list(choice_of_models(str(own))) == ["mine", "default", "default-0.1", "paper", "people"]
    own.write_text('base = "paper"\nname = "default"\n')
    first, *others = choice_of_models(str(own))
    assert first == f"default ({Model.preset('paper').fingerprint})"
    assert others == ["default", "default-0.1", "paper", "people"]


def test_every_template_file_is_used() -> None:
    parts = (listing, navigation)
    scripts = {f"{name}.js" for part in parts for name in part.SCRIPTS}
    styles = {f"{name}.css" for part in parts for name in part.STYLES}
    assert {path.name for path in listing.TEMPLATE.iterdir()} == scripts | styles
    for path in listing.TEMPLATE.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert way not in text


# Answers


def test_an_answer_is_computed_once() -> None:
    async def check() -> None:
        answers: RequestCache[str, int] = RequestCache(most=10)
        sought = []

        async def find() -> int:
            sought.append(1)
            await asyncio.sleep(0.01)
            return len(sought)

        assert answers.known("a") is None
        assert await asyncio.gather(*(answers.ask("a", find) for _ in range(20))) == [1] * 20
        assert await answers.ask("a", find) == 1
        assert answers.known("a") == 1
        assert await answers.ask("b", find) == 2
        assert len(sought) == 2

    asyncio.run(check())


def test_the_oldest_answers_are_evicted() -> None:
    async def check() -> None:
        answers: RequestCache[int, int] = RequestCache(most=3)

        async def ask(number: int) -> int:
            async def find() -> int:
                return number

            return await answers.ask(number, find)

        for number in (1, 2, 3, 1, 4):
            await ask(number)
        assert [answers.known(number) for number in (1, 2, 3, 4)] == [1, None, 3, 4]

    asyncio.run(check())


def test_failures_reach_all_requests_and_are_not_cached() -> None:
    async def check() -> None:
        answers: RequestCache[str, int] = RequestCache(most=10)

        async def fail() -> int:
            await asyncio.sleep(0.01)
            raise BadInput("no")

        async def find() -> int:
            return 1

        told = await asyncio.gather(
            *(answers.ask("a", fail) for _ in range(3)), return_exceptions=True
        )
        assert [str(one) for one in told] == ["no"] * 3
        assert await answers.ask("a", find) == 1

    asyncio.run(check())


def test_a_cancelled_request_does_not_cancel_the_answer() -> None:
    async def check() -> None:
        answers: RequestCache[str, int] = RequestCache(most=10)
        go_on = asyncio.Event()

        async def find() -> int:
            await go_on.wait()
            return 1

        leaving = asyncio.create_task(answers.ask("a", find))
        staying = asyncio.create_task(answers.ask("a", find))
        await asyncio.sleep(0)
        leaving.cancel()
        go_on.set()
        assert await staying == 1
        with pytest.raises(asyncio.CancelledError):
            await leaving

    asyncio.run(check())


# Processes


@asynccontextmanager
async def judging(count: int = 1) -> AsyncIterator[Judges]:
    some = Judges(count)
    try:
        yield some
    finally:
        await some.close()


def test_judges_work_in_other_processes_a_few_at_a_time() -> None:
    async def check() -> None:
        async with judging(2) as some:
            where = await asyncio.gather(*(some.do(os.getpid) for _ in range(20)))
            assert os.getpid() not in where
            assert len(set(where)) <= 2

    asyncio.run(check())


def test_a_killed_judge_is_replaced() -> None:
    async def check() -> None:
        async with judging() as some:
            with pytest.raises(BadInput, match=r"was killed.*fewer --workers"):
                await some.do(os._exit, 1)
            assert await some.do(math.gcd, 12, 18) == 6

    asyncio.run(check())


def test_an_error_in_a_judge_reaches_the_caller() -> None:
    async def check() -> None:
        async with judging() as some:
            with pytest.raises(ValueError, match="math domain"):
                await some.do(math.sqrt, -1.0)
            assert await some.do(math.sqrt, 4.0) == 2

    asyncio.run(check())


def test_closing_does_not_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def check() -> None:
        some = Judges(2)
        await some.do(os.getpid)
        staying, leaving = (asyncio.create_task(some.do(time.sleep, 600)) for _ in range(2))
        await asyncio.sleep(0.05)
        leaving.cancel()
        await some.close()
        with pytest.raises(BadInput):
            await staying

    monkeypatch.setattr(processes, "GRACE", 0.1)
    asyncio.run(check())
    gc.collect()  # unretrieved exceptions are reported here at the latest
    assert caplog.text == ""


# The desk


class Counting(Judges):
    """Judges that count their work."""

    def __init__(self) -> None:
        super().__init__(1)
        self.done: list[str] = []

    async def do(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.done.append(work.__name__)
        return await super().do(work, *args, **kwargs)


@pytest.fixture
def books(shelf: Path) -> Catalogue:
    return catalogue(find_pairs(shelf))


def at_desk(books: Catalogue, check: Callable[[Session, Counting], Any]) -> None:
    """Run a check with a desk of one judge."""

    async def run() -> None:
        judge = Counting()
        desk = Session(books, choice_of_models("default"), judge)
        try:
            await check(desk, judge)
        finally:
            await desk.close()

    asyncio.run(run())


def test_a_pair_requested_by_many_is_judged_once(books: Catalogue) -> None:
    async def check(desk: Session, judge: Counting) -> None:
        entry = books.find("preference", "usual")
        assert entry is not None
        first, *others = await asyncio.gather(*(desk.outcome("default", entry) for _ in range(10)))
        assert first.verdict == "right"
        assert all(other is first for other in others)
        assert judge.done == ["rate_pair"]
        pages = await asyncio.gather(*(desk.drawing("default", entry, "both") for _ in range(10)))
        assert all(page is pages[0] for page in pages)
        assert judge.done == ["rate_pair", "draw"]
        assert pages[0].outcome == first

    at_desk(books, check)


def test_opening_a_pair_judges_it(books: Catalogue) -> None:
    async def check(desk: Session, judge: Counting) -> None:
        pair, other = (books.find("preference", name) for name in ("swapped", "same"))
        assert pair is not None
        assert other is not None
        await desk.drawing("default", pair, "both")
        await desk.drawing("default", other, "e")  # one episode is not a pair
        assert desk.verdict("default", pair) == "wrong"
        assert desk.verdict("default", other) == "unjudged"
        assert desk.verdict("paper", pair) == "unjudged"
        assert desk.select("default", Selection(outcome="wrong")) == [pair]

    at_desk(books, check)


def test_a_stopped_run_judges_no_more(books: Catalogue) -> None:
    async def check(desk: Session, judge: Counting) -> None:
        assert desk.start("default", books.entries)
        assert desk.run is not None
        while desk.run.done < 2:
            await asyncio.sleep(0.01)
        desk.stop()
        while desk.run.going:
            await asyncio.sleep(0.01)
        await desk.outcome("default", books.entries[-1])
        asked = len(judge.done)
        await asyncio.sleep(0.2)
        assert len(judge.done) == asked < PAIRS

    at_desk(books, check)


def test_a_run_that_cannot_continue_says_why(books: Catalogue) -> None:
    class Broken(Counting):
        async def do(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            return await super().do(os._exit, 1)

    async def run() -> None:
        desk = Session(books, choice_of_models("default"), Broken())
        assert desk.start("default", books.entries)
        assert desk.run is not None
        while desk.run.going:
            await asyncio.sleep(0.01)
        assert "was killed" in desk.run.problem
        assert listing.listing(desk, "default", Selection(), 0)["run"]["problem"]
        await desk.close()

    asyncio.run(run())


def test_the_shelf_has_the_expected_content(books: Catalogue) -> None:
    assert [section.pairs for section in books.sections.values()] == [FEW, len(NAMED), MANY]
