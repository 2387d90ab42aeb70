"""Files as trackers write them, made from an episode: with jitter, and with lost frames."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hbtom.observe import Episode, Trial

LOST = 0.05  # share of the frames
JITTER = 2.0  # pixels
COLUMNS = [("net", part, axis) for part in ("nose", "centre") for axis in ("x", "y", "likelihood")]


def seen(episode: Episode, *, jitter: float = JITTER, lost: float = LOST) -> np.ndarray:
    """Return x, y and likelihood in all frames of all trials, in sequence."""
    rng = np.random.default_rng(3)
    path = np.concatenate([trial.path for trial in episode])
    path = path + jitter * rng.standard_normal(path.shape)
    sure = np.where(rng.random(len(path)) < lost, 0.1, 0.99)
    path[sure < 0.5] = rng.uniform(0, 200, (int((sure < 0.5).sum()), 2))  # anywhere
    return np.column_stack([path, sure])


def deeplabcut_rows(episode: Episode) -> np.ndarray:
    """Return the columns of a nose, which is far from the agent, and of the agent's centre."""
    centre = seen(episode)
    return np.column_stack([centre + np.array([7.0, 3.0, -0.01]), centre])


def deeplabcut_csv(episode: Episode, path: Path) -> None:
    levels = zip(("scorer", "bodyparts", "coords"), zip(*COLUMNS, strict=True), strict=True)
    lines = [",".join([level, *names]) for level, names in levels]
    lines += [f"{at},{','.join(map(str, row))}" for at, row in enumerate(deeplabcut_rows(episode))]
    path.write_text("\n".join(lines) + "\n")


def deeplabcut_h5(episode: Episode, path: Path) -> None:
    """Write the table as pandas does."""
    import h5py

    values = deeplabcut_rows(episode)
    table = np.empty(len(values), [("index", "<i8"), ("values_block_0", "<f8", (len(COLUMNS),))])
    table["index"], table["values_block_0"] = np.arange(len(values)), values
    with h5py.File(path, "w") as file:
        node = file.create_dataset("df_with_missing/table", data=table)
        node.attrs["values_block_0_kind"] = np.bytes_(pickle.dumps(COLUMNS, protocol=0))


def deeplabcut_fixed(episode: Episode, path: Path) -> None:
    """Write the table as pandas does in its fixed format; likelihoods have fewer digits."""
    import h5py

    values = np.array(deeplabcut_rows(episode))
    with h5py.File(path, "w") as file:
        group = file.create_group("df_with_missing")
        group["axis1"] = np.arange(len(values))
        for block, kinds in (("block0", "xy"), ("block1", ("likelihood",))):
            chosen = [at for at, name in enumerate(COLUMNS) if name[-1] in kinds]
            kind = "<f8" if block == "block0" else "<f4"
            group[f"{block}_values"] = values[:, chosen].astype(kind)
            for level, names in enumerate(zip(*[COLUMNS[at] for at in chosen], strict=True)):
                known = sorted(set(names))
                group[f"{block}_items_level{level}"] = np.array(known, dtype=bytes)
                group[f"{block}_items_label{level}"] = np.array([*map(known.index, names)])


def sleap(episode: Episode, path: Path) -> None:
    import h5py

    values = seen(episode)
    values[values[:, 2] < 0.5, :2] = np.nan
    with h5py.File(path, "w") as file:
        file["tracks"] = values[:, :2].T[None, :, None, :]
        file["node_names"] = np.array([b"thorax"])
        file["track_names"] = np.array([b"track_0"])


def scene(episode: Episode, path: Path, first: int = 0) -> None:
    """Write the scene file of an episode whose frames are numbered from ``first`` on."""
    path.write_text("\n".join(_scene(episode, first)) + "\n")


def _scene(episode: Episode, first: int) -> Iterator[str]:
    yield f"size = {list(episode.test.size)}"
    yield f"[agent]\nradius = {episode.test.agent.radius}"
    for trial in episode:
        last = first + len(trial.path) - 1
        yield f"[[trials]]\nframes = [{first}, {last}]\n{_things(trial)}"
        yield f'agent = "{trial.agent.look}"'
        first = last + 1


def _things(trial: Trial) -> str:
    walls = f"walls = {trial.walls.tolist()}"
    objects = ", ".join(
        f'{{name = "{one.look}", at = {list(one.centre)}, radius = {one.radius}}}'
        for one in trial.objects
    )
    return f"{walls}\nobjects = [{objects}]"
