"""Named axes, and functions whose argument names say what they depend on.

In every array the axes of a theory come first, ``[*traits, goal]``; then what there is a series of
(steps, or states); then what is chosen from. An axis along which nothing changes may have length 1,
so that only combinations that matter are ever planned for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput

GOAL = "goal"
HOPELESS = -1e200  # the value of what is possible, but never leads to the end; -inf is impossible


@dataclass(frozen=True)
class Trait:
    """Values of something latent, with their prior and how long they last.

    ``values`` are equally probable, or ``{value: weight}``. ``weight`` is a function, instead, of
    other traits and perhaps the goal: it returns ``{value: weight}`` given one value of each.
    ``anew`` is the probability that a value is drawn anew before a step: None for what is drawn
    once for an agent, 0 for what lasts a trial, 1 for what lasts a step, or anything in between for
    moods, attention and goals that change.
    """

    values: Any
    anew: float | None = None
    weight: Callable[..., Mapping[Any, float]] | None = None


@dataclass(frozen=True, eq=False)
class Axis:
    """A latent variable with finitely many values.

    ``log_prior`` is [value], or [*others, value] if the prior depends on the axes named in
    ``given``. For ``anew`` see :class:`Trait`.
    """

    name: str
    labels: tuple[Any, ...]
    log_prior: Floats
    anew: float | None = None
    given: tuple[str, ...] = ()

    @staticmethod
    def of(name: str, values: Any, anew: float | None = None) -> Axis:
        """Return the axis of a trait given as values, ``{value: weight}`` or a :class:`Trait`."""
        if isinstance(values, Trait):
            anew, values = values.anew if values.anew is not None else anew, values.values
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            hint = f"give a list, or {{value: weight}}, as in {name}=[{brief(values)}]"
            raise BadInput(f"'{name}' needs values; got {brief(values)}", hint=hint)
        labels = tuple(one.item() if isinstance(one, np.generic) else one for one in values)
        weights = values.values() if isinstance(values, Mapping) else [1.0] * len(labels)
        if anew is not None and not 0 <= anew <= 1:
            raise BadInput(f"'{name}' is drawn anew with probability {anew}, not in 0 to 1")
        if not all(isinstance(label, Hashable) for label in labels):
            raise BadInput(f"the values of '{name}' cannot be labels; use numbers, words or tuples")
        if len(set(labels)) < len(labels):
            told = listed(map(repr, labels))
            raise BadInput(f"'{name}' has a value twice among {len(labels)}: {told}")
        return Axis(name, labels, log_weights(name, weights), anew)

    @property
    def lasting(self) -> bool:
        """Whether a value stays the same from trial to trial."""
        return self.anew is None

    def only(self, label: Any) -> Floats:
        """Return log P = 0 for one label, -inf for the others."""
        if label not in self.labels:
            raise BadInput(f"'{self.name}' is one of {listed(self.labels)}, not {brief(label)}")
        return np.where([label == other for other in self.labels], 0.0, -np.inf)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<Axis {self.name}: {listed(self.labels)}>"


def log_weights(name: str, weights: Iterable[float]) -> Floats:
    """Return log probabilities from weights."""
    try:
        weight = np.array([*weights], dtype=float)
    except (TypeError, ValueError):
        raise BadInput(f"the weights of '{name}' are not numbers") from None
    if not len(weight) or not (weight >= 0).all() or not 0 < weight.sum() < np.inf:
        told = listed(weight.tolist())
        raise BadInput(f"'{name}' needs values, with weights that are not all 0; got {told}")
    with np.errstate(divide="ignore"):
        return np.log(weight / weight.sum())


def axes_of(traits: Mapping[str, Any]) -> tuple[Axis, ...]:
    """Return the axes of traits, priors that depend on other traits included."""
    axes = {name: Axis.of(name, values) for name, values in traits.items()}
    for name, trait in traits.items():
        if isinstance(trait, Trait) and trait.weight is not None:
            given = tuple(axes[other] for other in names(trait.weight) if other in axes)
            unknown(f"the weight of '{name}' asks for", names(trait.weight), axes)
            _check_given(name, axes, given, traits)
            own, shape = axes[name], (*map(len, given), len(axes[name]))
            rows = [_row(name, own, some) for some in each(trait.weight, given).flat]
            log = np.array(rows).reshape(shape)
            axes[name] = Axis(name, own.labels, log, own.anew, tuple(one.name for one in given))
    return tuple(axes.values())


def _check_given(
    name: str, axes: Mapping[str, Axis], given: Sequence[Axis], traits: Mapping[str, Any]
) -> None:
    """Refuse a prior that depends on itself, or on what lasts less long."""
    asked, before = set[str](), [one.name for one in given]
    while before:
        other = before.pop()
        if other not in asked:
            asked.add(other)
            trait = traits[other]
            before += names(trait.weight) if isinstance(trait, Trait) else ()
    if name in asked:
        raise BadInput(f"the weight of '{name}' depends on itself", hint="leave out one of the two")
    fleeting = [one.name for one in given if axes[name].lasting and not one.lasting]
    if fleeting:
        told = f"'{name}' lasts, and its weight depends on '{fleeting[0]}', which does not"
        raise BadInput(told, hint=f"give '{name}' anew=0 to draw it for each trial")


def _row(name: str, axis: Axis, weights: Any) -> Floats:
    if not isinstance(weights, Mapping):
        raise BadInput(
            f"the weight of '{name}' should return {{value: weight}}, not {brief(weights)}"
        )
    unknown(f"the weight of '{name}' is given for", weights, axis.labels)
    return log_weights(name, [weights.get(label, 0.0) for label in axis.labels])


# Functions that name what they depend on


def names(function: Any) -> tuple[str, ...]:
    """Return the names that a function asks for; arguments with a default are its own."""
    needs: tuple[str, ...] | None = getattr(function, "needs", None)
    if needs is not None:
        return needs
    return _signature(function) if callable(function) else ()


def _signature(function: Any) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    return (
        _names_of(function)
        if code is None or hasattr(function, "__wrapped__")
        else _of_code(code, len(function.__defaults__ or ()), tuple(function.__kwdefaults__ or ()))
    )


@lru_cache(maxsize=4096)
def _of_code(code: Any, defaults: int, kept: tuple[str, ...]) -> tuple[str, ...]:
    positional = code.co_varnames[: code.co_argcount - defaults]
    every = code.co_argcount + code.co_kwonlyargcount
    keywords = code.co_varnames[code.co_argcount : every]
    return (*positional, *(name for name in keywords if name not in kept))


def _names_of(function: Any) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    plain = (one for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL))
    return tuple(one.name for one in plain if one.default is one.empty)


def unknown(what: str, asked: Iterable[Any], known: Iterable[Any]) -> None:
    """Refuse a name that is not known, and list those that are."""
    known = list(known)
    for name in asked:
        if name not in known:
            raise BadInput(f"{what} {brief(name)}", hint=f"there are: {listed(known) or 'none'}")


def listed(values: Iterable[Any], most: int = 12, width: int = 120) -> str:
    """Return values separated by commas, the first ones if there are many."""
    told = [str(value) for value in values]
    told = [one if len(one) <= 30 else f"{one[:27]}..." for one in told]
    while most > 1 and sum(map(len, told[:most])) > width:
        most -= 1
    rest = [f"and {len(told) - most} more"] if len(told) > most else []
    return ", ".join(told[:most] + rest)


def brief(value: Any) -> str:
    """Return a value in one short line."""
    told = " ".join(repr(value).split())
    return told if len(told) <= 60 else f"{told[:57]}..."


def call(function: Any, known: Mapping[str, Any]) -> Any:
    """Call a function with those of the known values that it names; a plain value is itself."""
    if not callable(function):
        return function
    asked = names(function)
    try:
        given = {name: known[name] for name in asked}
    except KeyError:
        what = getattr(function, "__name__", "a function")
        unknown(f"'{what}' asks for", asked, known)
        raise
    return function(**given)


def each(function: Any, axes: Sequence[Axis], **known: Any) -> Any:
    """Return a function's results, called once for each combination of the axes that it names.

    The result is an array of objects [*axes], of length 1 along axes that it does not name.
    """
    asked = names(function)
    shape = [len(axis) if axis.name in asked else 1 for axis in axes]
    results = np.empty(shape, dtype=object)
    for at in np.ndindex(*shape):
        labels = {axis.name: axis.labels[i] for axis, i in zip(axes, at, strict=True)}
        try:
            results[at] = call(function, {**known, **labels})
        except Exception as error:
            if told := _case(asked, axes, at):
                error.add_note(f"(in a function of the theory,{told})")
            raise
    return results


def _case(asked: Sequence[str], axes: Sequence[Axis], at: Sequence[int]) -> str:
    """Say for which values of the axes that it names a function was called."""
    pairs = zip(axes, at, strict=True)
    told = [f"{axis.name} = {axis.labels[i]!r}" for axis, i in pairs if axis.name in asked]
    return f" for {', '.join(told)}" if told else ""


def over(
    role: str, function: Any, axes: Sequence[Axis], shape: tuple[int, ...] = (), **known: Any
) -> Floats:
    """Return what a function says for each combination of axes, as one array [*axes, *shape]."""
    results = each(function, axes, **known)
    parts = []
    for at in np.ndindex(*results.shape):
        try:
            part = np.broadcast_to(np.asarray(results[at], dtype=float), shape)
        except (TypeError, ValueError):
            got = np.shape(results[at]) or brief(results[at])
            told = _case(names(function), axes, at)
            raise BadInput(f"'{role}' returns {got}{told}", hint=_wanted(role, shape)) from None
        if np.isnan(part).any():
            first = tuple(int(i) for i in np.argwhere(np.isnan(part))[0])
            told = _case(names(function), axes, at)
            what = f"'{role}' is not a number (NaN) at {first}{told}"
            raise BadInput(what, hint="check its formula")
        parts.append(part)
    return np.array(parts).reshape((*results.shape, *shape))


def _wanted(role: str, shape: tuple[int, ...]) -> str:
    """Say what a function should return."""
    if shape in ((), (1,)):
        return "return one number"
    told = f"return numbers of the shape {shape}, or one number"
    if role == "reward":
        told += "; world.ahead(x) is what x [S] is expected to be after each action"
    return told


def shaped(function: Any, axes: Sequence[Axis], behind: int) -> dict[str, Any]:
    """Return the labels of the axes that a function names, to broadcast with [*axes, (behind)]."""
    asked, many = names(function), len(axes)
    return {
        axis.name: _labels(axis.labels, tuple(map(type, axis.labels)), i, many + behind)
        for i, axis in enumerate(axes)
        if axis.name in asked
    }


@lru_cache(maxsize=1024)
def _labels(labels: tuple[Any, ...], types: tuple[type, ...], place: int, axes: int) -> Any:
    shape = [1] * axes
    shape[place] = -1
    plain = all(kind in (int, float) for kind in types) or set(types) in ({bool}, {str})
    array = np.array(labels) if plain else np.empty(len(labels), dtype=object)
    if not plain:
        array[:] = labels
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


# Arrays with named axes


def aligned(array: Any, own: Sequence[str], axes: Sequence[str], lead: int = 0) -> Any:
    """Return [(lead), *own, (more)] as [(lead), *axes, (more)]: 1 long where it has no axis."""
    if tuple(own) == tuple(axes):
        return array
    order = sorted(range(len(own)), key=lambda i: axes.index(own[i]))
    many = lead + len(own)
    moved = array.transpose(*range(lead), *(lead + i for i in order), *range(many, array.ndim))
    length = dict(zip(own, array.shape[lead:many], strict=True))
    rest = array.shape[many:]
    return moved.reshape(*array.shape[:lead], *(length.get(name, 1) for name in axes), *rest)


def log_sum(log: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """Return log sum exp along axes; -inf where all terms are 0."""
    top = log.max(axis=axis, keepdims=True)
    if top.size and not top.min() > -np.inf:
        top = np.where(top == -np.inf, 0.0, top)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(log - top).sum(axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


def softmax(log: Any, axis: int = -1) -> Any:
    """Return log P ~ log, normalised along the last axis."""
    top = log.max(axis=axis, keepdims=True)
    log = log - np.where(top == -np.inf, 0.0, top)  # first, lest log sum be lost beside HOPELESS
    return log - log_sum(log, axis=axis, keepdims=True)
