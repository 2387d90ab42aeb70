"""Stimuli for experiments: movies of trials, and lists of them for jsPsych and PsychoPy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hbtom.bench.table_files import encode_records
from hbtom.judgement import judge
from hbtom.model import Model
from hbtom.observe.formats import read
from hbtom.show.page.page_values import film
from hbtom.show.page.plain_values import Plain
from hbtom.show.plots.movie import LIFE, animate


def judged(model: Model, data: bytes, name: str) -> Plain:
    """Return a judged episode as the page shows it."""
    return film(judge(read(data, name), model))


def movie(data: bytes, form: str) -> bytes:
    """Return a movie of a whole episode."""
    return animate(read(data), form)


def experiment(members: Mapping[str, bytes], form: str) -> dict[str, bytes]:
    """Return the files of an experiment by name: a movie of each trial, and the lists.

    ``jspsych.json`` holds timeline variables, ``psychopy.csv`` conditions. Each has a row for every
    trial of every episode, in the order in which they are shown.
    """
    files, rows = {}, []
    for row in _trials(members, form):
        files[row["movie"]] = animate(read(members[row["episode"]]), form, trials=[row["trial"]])
        rows.append(row)
    pictures = form == "gif"  # a picture to jsPsych, which takes one picture but lists of movies
    variables = [{"stimulus": one["movie"] if pictures else [one["movie"]], **one} for one in rows]
    return {
        **files,
        "jspsych.json": json.dumps(variables, indent=1).encode() + b"\n",
        "psychopy.csv": encode_records(rows, ".csv", list(rows[0])),
    }


def _trials(members: Mapping[str, bytes], form: str) -> Iterator[dict[str, Any]]:
    for name, data in members.items():
        episode = read(data, name)
        for number, trial in enumerate(episode, start=1):
            yield {
                "episode": name,
                "trial": number,
                "phase": "test" if number == len(episode) else "familiarization",
                "movie": f"{name}-{number}.{form}",
                "frames": len(trial.path),
                "seconds": len(trial.path) / LIFE,
            }
