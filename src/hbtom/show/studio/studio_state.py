"""The state of the studio: every version of every trial, so that nothing gets lost.

The page knows only the numbers of trials. The content of a file never leaves the server, so that
its numbers and fields stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from hbtom.errors import BadInput
from hbtom.files import check_folder, check_target, write_folder, write_whole
from hbtom.model import Model
from hbtom.show.page.plain_values import Plain
from hbtom.show.server.judges import Judges
from hbtom.show.studio.edits import change_of, edited
from hbtom.show.studio.raw_trials import Frames, empty_trial, opened
from hbtom.show.studio.stimuli import experiment, judged, movie
from hbtom.show.studio.views import view

T = TypeVar("T")
MOST = 1000  # most trials in an episode
LARGEST = 1 << 27  # most bytes in an episode that is judged or saved
MOVIES = ("gif", "mp4")
Name = Annotated[str, Meta(max_length=200)]
_NAME = re.compile(r"[^\W_][\w .()+-]{0,150}")


class Saving(Struct):
    """What to save, and how: lists of trials by episode name."""

    members: Annotated[dict[Name, list[int]], Meta(max_length=2)]
    name: Name  # of a file, with its ending, or of a folder
    form: str = "json"  # or a movie; an experiment is a folder of movies of this form
    folder: bool = False
    overwrite: bool = False


class Desk:
    """Everything that the server of the studio knows and does."""

    def __init__(self, folder: Path, models: Mapping[str, Model], judges: Judges) -> None:
        self.folder, self.models = folder, models
        self._judges = judges
        self._trials: list[Frames] = [empty_trial()]
        self._opened: dict[bytes, range] = {}  # trials by the content of their file

    def begin(self) -> list[Plain]:
        """Return an episode with nothing drawn in it."""
        return [self._view(0)]

    def open(self, data: bytes, name: str) -> list[Plain]:
        """Return the trials of a file, which are kept only once."""
        key = hashlib.sha256(data).digest()
        if key not in self._opened:
            start = len(self._trials)
            self._trials += opened(data, name)
            self._opened[key] = range(start, len(self._trials))
        return [self._view(number) for number in self._opened[key]]

    def edit(self, trial: int, change: Any) -> Plain:
        """Return a trial after a change; the old one is kept."""
        self._trials.append(edited(change_of(change), self._known([trial])[0]))
        return self._view(len(self._trials) - 1)

    async def judge(self, trials: Sequence[int], model: str, name: str) -> Plain:
        """Judge an episode."""
        if model not in self.models:
            raise BadInput(f"there is no model '{model}' here")
        for number, frames in enumerate(self._known(trials), start=1):
            if not (frames[0]["objects"] or any(one.get("other_agents") for one in frames)):
                where = f"Trial {number}" if len(trials) > 1 else "This room"
                draw = (
                    "Put an object in it with Object (O), then draw the agent's path with Path (P)."
                )
                raise BadInput(f"{where} has nothing in it that the agent could want. {draw}")
        return await self._do(judged, self.models[model], self._text(trials), name)

    def has(self, name: str) -> bool:
        """Return whether there is a file of this name in the folder, or a link to nothing."""
        path = self.folder / name
        return bool(_NAME.fullmatch(name)) and os.path.lexists(path) and not path.is_dir()

    async def save(self, what: Saving) -> Path:
        """Write an episode, a movie or an experiment, and return where it is.

        Files are replaced only on request, folders never.
        """
        path = self.folder / _checked(what.name)
        if not what.members:
            raise BadInput("there is no episode to save", hint="name one, with its trials")
        members = {_checked(name): self._text(trials) for name, trials in what.members.items()}
        if what.folder:
            check_folder(path)
            write_folder(path, await self._do(experiment, members, what.form))
            return path
        check_target(
            path,
            overwrite=what.overwrite,
            kinds=(".json", *(f".{one}" for one in MOVIES)),
            otherwise="replace it",
        )
        if len(members) != 1:
            raise BadInput("a file has only one episode", hint="an experiment may have several")
        (data,) = members.values()
        if path.suffix != ".json":
            data = await self._do(movie, data, path.suffix[1:])
        write_whole(path, data)
        return path

    async def close(self) -> None:
        await self._judges.close()

    def _view(self, trial: int) -> Plain:
        return {"id": trial, **view(self._trials[trial])}

    def _known(self, trials: Sequence[int]) -> list[Frames]:
        if not 0 < len(trials) <= MOST:
            raise BadInput(f"an episode has 1 to {MOST} trials, not {len(trials)}")
        if not all(0 <= one < len(self._trials) for one in trials):
            hint = "save what you can from other windows, and reload the page"
            raise BadInput("the studio was restarted and has forgotten this trial", hint=hint)
        return [self._trials[one] for one in trials]

    def _text(self, trials: Sequence[int]) -> bytes:
        """Return an episode as JSON, unless it is too large."""
        size, written = 0, []
        for frames in self._known(trials):
            texts = []
            for frame in frames:
                texts.append(json.dumps(frame))
                size += len(texts[-1])
                if size > LARGEST:
                    problem = f"the episode would have more than {LARGEST >> 20} MB"
                    raise BadInput(problem, hint="draw shorter paths, or fewer trials")
            written.append(f"[{', '.join(texts)}]")
        return f"[{', '.join(written)}]".encode()

    async def _do(self, work: Callable[..., T], *args: Any) -> T:
        """Let another process do the work; errors in its input are raised here."""
        found: T | BadInput = await self._judges.do(_attempt, work, *args)
        if isinstance(found, BadInput):
            raise found
        return found


def _attempt(work: Callable[..., T], *args: Any) -> T | BadInput:
    """Return a result or an error; a raised error would lose its place between processes."""
    try:
        return work(*args)
    except BadInput as error:
        return BadInput(error.said)


def _checked(name: str) -> str:
    """Return a name if it is a file name without a folder; refuse any other."""
    if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
        hint = "use letters, digits, spaces, dots and dashes, and begin with a letter or digit"
        raise BadInput(f"'{name}' is not a name for a file", hint=hint)
    return name
