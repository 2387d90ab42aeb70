"""The cost of a goal given observations, by counting operators with a linear program.

x counts how often each operator is applied, y says which observations are explained:

    V(G, O) = min over x, y of  cost x + lambda u (|O| - sum y)
    delta   = V(G, O) - V(G, nothing)

u is the mean cost of an operator, and lambda u is the cost of leaving an observation unexplained,
because it may be wrong. An observation is explained at most as often as its operators are applied.
The counts satisfy constraints that hold for every plan: facts are used up no more often than they
are made true (the state equation), and the counts include every landmark and every cut of the goal
and of the facts that explained observations need. The order of operators is ignored, so delta is
approximate.

There is one linear program for all goals and observations. They only change bounds, and the solver
continues from its last solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.errors import BadInput, missing
from hbtom.plan.landmark_cuts import find_cuts
from hbtom.plan.operators import Facts, Operators, turned

UNEXPLAINED = 1.5  # lambda


@dataclass(frozen=True, eq=False)
class PlanObservation:
    """An observation: an action, or facts that were true."""

    operators: Annotated[Ints, "operator"]  # one of them was applied; none if facts were observed
    facts: Facts  # true before the action, whichever operator it was; or the observed facts


@dataclass
class _Rows:
    """The rows of a linear program, in order: sums that have a lower bound."""

    column: list[Ints] = field(default_factory=list)
    minus: list[int] = field(default_factory=list)  # how many columns at the end are subtracted

    def add(self, column: Ints, less: Ints | Sequence[int] = ()) -> int:
        """Add a row: the sum of the columns minus that of others; return its number."""
        self.column.append(np.concatenate([column, less]) if len(less) else column)
        self.minus.append(len(less))
        return len(self.column) - 1


def observed_costs(
    operators: Operators,
    goals: Sequence[Sequence[Facts]],
    seen: Sequence[PlanObservation],
    steps: Sequence[int],
    *,
    unexplained: float = UNEXPLAINED,
) -> Annotated[Floats, "1+step goal"]:
    """Return V in units of u for each goal, given the facts that each of its cases needs.

    The first row is V(G, nothing). Then there is one row for each of the ``steps``, which are
    numbers of observations. Goals that cannot be reached have infinite costs.
    """
    program = _Program(operators, goals, seen, unexplained * operators.unit)
    value = np.stack([program.values(goal, [0, *steps]) for goal in range(len(goals))], axis=1)
    return np.maximum(value, value[0]) / operators.unit


class _Program:
    """One linear program for all goals and observations. Its columns are operators, then sights."""

    def __init__(
        self,
        operators: Operators,
        goals: Sequence[Sequence[Facts]],
        seen: Sequence[PlanObservation],
        price: float,
    ) -> None:
        self.operators, self.price, self.many = operators, price, len(seen)
        rows = _Rows()
        _state_equation(operators, rows)
        self.landmark = np.full(len(operators.initial), -1)  # the row of each
        for fact in np.flatnonzero(~operators.initial).tolist():
            self.landmark[fact] = rows.add(operators.first_adders.of(fact))
        known: dict[bytes, int] = {}
        self.cases = [[self._case(facts, rows, known) for facts in some] for some in goals]
        free = len(rows.column)
        _explain(operators, seen, rows)
        self.free = np.where(np.arange(len(rows.column)) < free, -np.inf, 0.0)
        self.lower = self.free.copy()
        cost = np.append(operators.cost, np.full(len(seen), -price))
        self.solver = _solver(rows, cost, self.lower)

    def _case(
        self, facts: Facts, rows: _Rows, known: dict[bytes, int]
    ) -> tuple[Facts, list[int]] | None:
        """Return a case with the rows of its cuts; None if it cannot become true."""
        cuts = find_cuts(self.operators, facts)
        if cuts is None:
            return None
        for cut in cuts:
            if cut.tobytes() not in known:
                known[cut.tobytes()] = rows.add(np.flatnonzero(cut))
        return facts, [known[cut.tobytes()] for cut in cuts]

    def values(self, goal: int, steps: Sequence[int]) -> list[float]:
        """Return the least cost of a goal after each number of observations."""
        best = np.full(len(steps), np.inf)
        for facts, cuts in filter(None, self.cases[goal]):
            self._want(facts, cuts)
            best = np.minimum(best, [self._solved(step) for step in steps])
        return best.tolist()

    def _want(self, facts: Facts, cuts: list[int]) -> None:
        """Set the bounds that follow from the wanted facts."""
        initial, lower = self.operators.initial, self.free.copy()
        lower[: len(initial)] = 0.0 - initial
        lower[facts] += 1.0
        need = self.operators.landmarks[0][facts].any(axis=0) & ~initial
        lower[self.landmark[need]] = 1.0
        lower[cuts] = 1.0
        changed = np.flatnonzero(lower != self.lower).astype(np.int32)
        above = np.full(len(changed), np.inf)
        self.solver.changeRowsBounds(len(changed), changed, lower[changed], above)
        self.lower = lower

    def _solved(self, step: int) -> float:
        """Return the least cost if the first ``step`` observations are to be explained."""
        from highspy import HighsModelStatus as Status

        sights = np.arange(self.many, dtype=np.int32) + len(self.operators)
        most = (np.arange(self.many) < step).astype(np.float64)
        self.solver.changeColsBounds(self.many, sights, np.zeros(self.many), most)
        self.solver.run()
        status = self.solver.getModelStatus()
        if status == Status.kInfeasible:
            return np.inf
        if status != Status.kOptimal:
            said = self.solver.modelStatusToString(status)
            problem = f"the linear program has no solution ({said})"
            raise BadInput(problem, hint="try --engine exact")
        return self.solver.getObjectiveValue() + self.price * step


def _state_equation(operators: Operators, rows: _Rows) -> None:
    """Add a row for each fact: it is made true at least as often as it is used up."""
    whole = len(operators.initial)
    needs, adds, deletes = (
        one.owner * whole + one.item for one in (operators.need, operators.add, operators.delete)
    )
    made, used = np.setdiff1d(adds, needs), np.intersect1d(deletes, needs)
    makers, users = (turned(some // whole, some % whole, whole) for some in (made, used))
    for fact in range(whole):
        rows.add(makers.of(fact), users.of(fact))


def _explain(operators: Operators, seen: Sequence[PlanObservation], rows: _Rows) -> None:
    """Add the needs of explained observations; a repeated one also needs the one before."""
    none = np.empty(0, dtype=np.int64)
    alike: dict[bytes, list[int]] = {}
    for column, sight in enumerate(seen, start=len(operators)):
        same = alike.setdefault(sight.operators.tobytes() + b"," + sight.facts.tobytes(), [])
        same.append(column)
        if len(same) > 1:
            rows.add(np.array(same[-2:-1]), [column])
            continue
        for fact in np.flatnonzero(operators.landmarks[0][sight.facts].any(axis=0)).tolist():
            if not operators.initial[fact]:
                rows.add(operators.first_adders.of(fact), [column])
        cuts = find_cuts(operators, sight.facts)
        for cut in cuts if cuts is not None else [none]:  # None: it can never be explained
            rows.add(np.flatnonzero(cut), [column])
    for first, same in zip(map(min, alike.values()), alike.values(), strict=True):
        if len(done := seen[first - len(operators)].operators):
            rows.add(done, same)


def _solver(rows: _Rows, cost: Floats, lower: Floats) -> Any:
    """Return a solver of min cost x, where rows have lower bounds and x is not negative."""
    try:
        import highspy
    except ImportError:
        raise missing("highspy", "plans") from None
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(cost), len(lower)
    program.col_cost_ = cost
    program.col_lower_, program.col_upper_ = np.zeros(len(cost)), np.full(len(cost), np.inf)
    program.row_lower_, program.row_upper_ = lower, np.full(len(lower), np.inf)
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = len(cost), len(lower)
    long, minus = np.array([*map(len, rows.column)]), np.array(rows.minus)
    matrix.start_ = np.append(0, np.cumsum(long)).astype(np.int32)
    matrix.index_ = np.concatenate(rows.column).astype(np.int32)
    matrix.value_ = np.repeat(
        np.tile([1.0, -1.0], len(long)), np.stack([long - minus, minus], axis=1).ravel()
    )
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in _OPTIONS.items():
        solver.setOptionValue(name, value)
    solver.passModel(program)
    return solver


_OPTIONS: dict[str, bool | int | str] = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "presolve": "off",
    "simplex_scale_strategy": 0,
    "solver": "simplex",
}
