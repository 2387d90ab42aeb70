"""The signatures of kernels: numba's types for annotations, and tuples field by field.

To call a kernel from Python, numba takes about a microsecond for each named tuple among its
arguments, nested ones too, and far less for a number or an array. So Python hands a kernel the
fields of its tuples one by one, and the tuples are put together again in compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args, get_type_hints

from hbtom.arrays import FROZEN, Bools, Floats, Ints

_SCALARS = {float: "float64", int: "int64", bool: "boolean"}


class Flat(NamedTuple):
    """A function that takes the fields of tuples as arguments of their own."""

    function: Callable[..., Any]
    types: tuple[Any, ...]
    called_by: Callable[..., Callable[..., Any]]  # makes of its compiled form what takes tuples


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function's arguments."""
    hints = get_type_hints(function, include_extras=True)
    return {name: hint for name, hint in hints.items() if name != "return"}


def numba_type(hint: Any, *, inside: bool = False) -> Any:
    """Return numba's name for an annotation; arrays are C-ordered.

    Arrays inside a tuple are as kernels make them, unless they are marked as ``FROZEN``; all others
    are only read.
    """
    import numba

    if hint in _SCALARS:
        return getattr(numba.types, _SCALARS[hint])
    if hasattr(hint, "_fields"):  # a NamedTuple
        types = [numba_type(one, inside=True) for one in hints_of(hint).values()]
        kinds: Any = numba.types
        if len(set(types)) == 1:  # numba has a type of its own for these
            return kinds.NamedUniTuple(types[0], len(types), hint)
        return kinds.NamedTuple(types, hint)
    array, shape, *notes = get_args(hint)
    value = {Floats: "float64", Ints: "int64", Bools: "boolean"}[array]
    dtype = getattr(numba.types, value)
    return numba.types.Array(dtype, len(shape.split()), "C", readonly=FROZEN in notes or not inside)


def flattened(function: Any, hints: Mapping[str, Any]) -> Flat:
    """Return a function that takes the fields of tuples and calls another one with the tuples.

    Of ``def f(world: World, step: int)`` it makes, if a ``World`` has two fields::

        def flat(world_0, world_1, step): return function(World(world_0, world_1), step)
        def call(world, step): return flat(world[0], world[1], step)
    """
    types, taken, known = dict[str, Any](), list[str](), {"__name__": function.__module__}

    def put_together(hint: Any, name: str, value: str, *, inside: bool) -> str:
        if not hasattr(hint, "_fields"):
            types[name] = numba_type(hint, inside=inside)
            taken.append(value)
            return name
        known[f"{name}_type"] = hint
        fields = [
            put_together(one, f"{name}_{index}", f"{value}[{index}]", inside=True)
            for index, one in enumerate(hints_of(hint).values())
        ]
        return f"{name}_type({', '.join(fields)})"

    given = [put_together(hint, name, name, inside=False) for name, hint in hints.items()]
    code = f"lambda {', '.join(types)}: function({', '.join(given)})"
    call = f"lambda flat: lambda {', '.join(hints)}: flat({', '.join(taken)})"
    flat = eval(code, known | {"function": function})
    flat.__name__ = flat.__qualname__ = f"{function.__name__}_flat"  # instead of <lambda>
    return Flat(flat, (*types.values(),), eval(call))
