"""The signatures of kernels: numba's types for annotations, and tuples field by field.

When Python calls a kernel, numba takes about a microsecond for each named tuple among the
arguments, including nested ones, and far less for a number or an array. So Python passes the fields
of tuples one by one, and compiled code assembles the tuples again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args, get_type_hints

from hbtom.arrays import FROZEN, Bools, Floats, Ints

_SCALARS = {float: "float64", int: "int64", bool: "boolean"}


class Flat(NamedTuple):
    """A function that takes the fields of tuples as separate arguments."""

    function: Callable[..., Any]
    types: tuple[Any, ...]
    called_by: Callable[..., Callable[..., Any]]  # wraps the compiled function to take tuples


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function's arguments."""
    hints = get_type_hints(function, include_extras=True)
    return {name: hint for name, hint in hints.items() if name != "return"}


def is_tuple(hint: Any) -> bool:
    """Return whether an annotation is a named tuple."""
    return hasattr(hint, "_fields")


def numba_type(hint: Any, *, inside: bool = False) -> Any:
    """Return numba's type for an annotation; arrays are C-ordered.

    Arrays inside a tuple are writable, unless they are marked as ``FROZEN``. All other arrays are
    read-only.
    """
    import numba

    if hint in _SCALARS:
        return getattr(numba.types, _SCALARS[hint])
    if is_tuple(hint):
        types = [numba_type(one, inside=True) for one in hints_of(hint).values()]
        kinds: Any = numba.types
        if len(set(types)) == 1:  # numba has a separate type for these
            return kinds.NamedUniTuple(types[0], len(types), hint)
        return kinds.NamedTuple(types, hint)
    array, shape, *notes = get_args(hint)
    value = {Floats: "float64", Ints: "int64", Bools: "boolean"}[array]
    dtype = getattr(numba.types, value)
    return numba.types.Array(dtype, len(shape.split()), "C", readonly=FROZEN in notes or not inside)


def flattened(function: Any, hints: Mapping[str, Any]) -> Flat:
    """Return a function that takes the fields of tuples and calls another one with the tuples.

    If a ``World`` has two fields, ``def f(world: World, step: int)`` becomes::

        def flat(_0, _1, _2): return f(World(_0, _1), _2)
        def call(given_0, given_1): return flat(given_0[0], given_0[1], given_1)
    """
    types, taken = list[Any](), list[str]()
    known = {"__name__": function.__module__, "_function": function}

    def put_together(hint: Any, value: str, *, inside: bool) -> str:
        if not is_tuple(hint):
            types.append(numba_type(hint, inside=inside))
            taken.append(value)
            return f"_{len(types) - 1}"
        made = f"_type_{len(known)}"
        known[made] = hint
        fields = enumerate(hints_of(hint).values())
        parts = [put_together(one, f"{value}[{index}]", inside=True) for index, one in fields]
        return f"{made}({', '.join(parts)})"

    given = [
        put_together(hint, f"given_{index}", inside=False)
        for index, hint in enumerate(hints.values())
    ]
    names = ", ".join(f"_{index}" for index in range(len(types)))
    flat = eval(f"lambda {names}: _function({', '.join(given)})", known)
    flat.__name__ = flat.__qualname__ = f"{function.__name__}_flat"  # instead of <lambda>
    whole = ", ".join(f"given_{index}" for index in range(len(hints)))
    call = f"lambda flat: lambda {whole}: flat({', '.join(taken)})"
    return Flat(flat, (*types,), eval(call))
