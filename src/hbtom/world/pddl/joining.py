"""Which objects can be the parameters of an action, found by joining tables of facts.

Objects and parameters are numbers. A term is a parameter, or an object as its complement
``~object``, which is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Ints, concat_ranges
from hbtom.errors import BadInput

Terms = tuple[int, ...]
Table = Annotated[Ints, "fact term"]
MOST_BINDINGS = 2_000_000  # of one action


def bindings(
    allowed: Annotated[Bools, "parameter object"], facts: Sequence[tuple[Terms, Table]]
) -> Annotated[Ints, "binding parameter"]:
    """Return all assignments of objects to parameters for which all facts are in their tables."""
    waiting = [_matching(terms, table, allowed) for terms, table in facts]
    named = {parameter for parameters, _ in waiting for parameter in parameters}
    for parameter in set(range(len(allowed))) - named:
        waiting.append(((parameter,), np.flatnonzero(allowed[parameter])[:, None]))
    so_far: tuple[Terms, Table] = (), np.zeros((1, 0), dtype=np.int64)
    while waiting:
        waiting.sort(key=lambda one: _priority(so_far[0], *one), reverse=True)
        so_far = _joined(so_far, waiting.pop(), allowed.shape[1])
    parameters, table = so_far
    return table[:, np.argsort(parameters)]


def _matching(
    terms: Terms, table: Table, allowed: Annotated[Bools, "parameter object"]
) -> tuple[Terms, Table]:
    """Return the rows of a table that fit the terms, with a column for each of their parameters."""
    fits = np.ones(len(table), dtype=np.bool_)
    for column, term in enumerate(terms):
        here = table[:, column]
        fits &= here == ~term if term < 0 else allowed[max(term, 0), here]
        fits &= here == table[:, terms.index(term)]  # a parameter may occur twice
    parameters = tuple(dict.fromkeys(term for term in terms if term >= 0))
    columns = [terms.index(parameter) for parameter in parameters]
    return parameters, table[fits][:, columns]


def _priority(bound: Terms, parameters: Terms, table: Table) -> tuple[int, int]:
    """Return the priority of a table, the least first: filters, then connected tables."""
    new = sum(parameter not in bound for parameter in parameters)
    connected = new < len(parameters)
    return (0 if new == 0 else 1 if connected else 2), len(table)


def _joined(
    left: tuple[Terms, Table], right: tuple[Terms, Table], radix: int
) -> tuple[Terms, Table]:
    """Join two tables on the parameters that they share."""
    (ours, one), (theirs, other) = left, right
    shared = [parameter for parameter in theirs if parameter in ours]
    new = [column for column, parameter in enumerate(theirs) if parameter not in ours]
    mine = codes(one[:, [ours.index(parameter) for parameter in shared]], radix)
    its = codes(other[:, [theirs.index(parameter) for parameter in shared]], radix)
    order = np.argsort(its, kind="stable")
    first = np.searchsorted(its[order], mine, "left")
    count = np.searchsorted(its[order], mine, "right") - first
    if count.sum() > MOST_BINDINGS:
        raise BadInput(
            f"an action has more than {MOST_BINDINGS:,} combinations of objects",
            hint="give its parameters narrower types, or the problem fewer objects",
        )
    row = np.repeat(np.arange(len(one)), count)
    match = order[concat_ranges(first, count)]
    return (*ours, *(theirs[column] for column in new)), np.hstack([one[row], other[match][:, new]])


def codes(table: Table, radix: int) -> Annotated[Ints, "fact"]:
    """Return a number for each row, equal for equal rows."""
    if table.shape[1] * max(radix, 2).bit_length() > 52:
        raise BadInput(
            f"a predicate has too many terms for {radix} objects",
            hint="give it fewer terms, or the problem fewer objects",
        )
    code = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        code = code * radix + column
    return code
