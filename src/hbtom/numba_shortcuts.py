"""Faster compiling: work that numba skips while it compiles hbtom's kernels.

numba spends more time on bookkeeping than on machine code: it computes again what it already knows,
and keeps data that only debuggers and Python objects need. :func:`with_shortcuts` replaces such
functions of numba and restores them at its end. The machine code stays the same. If a version of
numba lacks one of these functions, kernels are still compiled, but more slowly.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache
from pkgutil import resolve_name
from typing import Any

from numba.core import ir, postproc, transforms
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager

_AFTER_PASSES: Any = postproc
_GRAPHS: Any = transforms


class UncheckedPasses(PassManager):
    """Runs passes without numba's checks, and without the work that it repeats after each pass."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # noqa: N802
        pss.analysis = self._analysis
        for run in (pss.run_initialization, pss.run_pass, pss.run_finalizer):
            run(internal_state)


@contextmanager
def with_shortcuts() -> Iterator[None]:
    """Let numba compile without its detours; other threads that compile have to wait.

    Garbage collection is off. Objects made meanwhile count as old, and are examined last.
    """
    collects = gc.isenabled()
    with global_compiler_lock, ExitStack() as changes:
        for owner, name, change in SHORTCUTS:
            changes.enter_context(_changed(owner, name, change))
        try:
            gc.disable()
            yield
        finally:
            if not gc.get_freeze_count():  # objects that the user has frozen must stay so
                gc.freeze()
                gc.unfreeze()
            if collects:
                gc.enable()


@contextmanager
def _changed(owner: str, name: str, change: Callable[[Any], Any]) -> Iterator[None]:
    """Replace a function of a class or module temporarily, if this version of numba has it."""
    before = None
    with suppress(ImportError, AttributeError):
        place = resolve_name(owner)
        before = vars(place).get(name)
    if before is None:
        yield
        return
    setattr(place, name, change(before))
    try:
        yield
    finally:
        setattr(place, name, before)


def _remembering(find: Callable[..., Any]) -> Callable[..., Any]:
    """Find the return type of an operator once for the same types of operands, not at each use."""
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = self, context, tuple(args), tuple(dict(kws).items())
        if key not in known:
            known[key] = find(self, context, args, kws)
        return known[key]

    return get_call_type


def _when_needed(refresh: Callable[[Any], None]) -> Callable[[Any], None]:
    """Look for functions that were added to numba only if there are new ones."""
    known: dict[type, int] = {}

    def count(context: Any) -> int:
        loaders = getattr(context, "_registries", {}).items()
        lists = [getattr(one, name) for one, loader in loaders for name in loader.registry_items]
        types = getattr(context, "typing_context", None)
        return sum(map(len, lists)) + (count(types) if types else 0)

    def refresh_if_needed(self: Any) -> None:
        if known.get(type(self)) != count(self) or not count(self):
            refresh(self)
            known[type(self)] = count(self)

    return refresh_if_needed


def _without_entry_variables(run: Callable[..., None]) -> Callable[..., None]:
    """Skip the variables that are live at the start of blocks, which only generators need here."""

    def run_quickly(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if code.is_generator:
            run(self, emit_dels, extend_lifetimes)
            return
        code.blocks = _GRAPHS.canonicalize_cfg(code.blocks)
        code.variable_lifetime = _AFTER_PASSES.VariableLifetime(code.blocks)
        code.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    return run_quickly


def _only_counted(find: Callable[..., Any]) -> Callable[..., Any]:
    """Look for references only in those parts of a value that can have any."""

    def get_meminfos(self: Any, builder: Any, ty: Any, val: Any) -> list[Any]:
        models = self._context.data_model_manager
        model = models[ty]
        found = [(ty, model.get_nrt_meminfo(builder, val))] if model.has_nrt_meminfo() else []
        for kind, get in model.traverse(builder):
            if models[kind].contains_nrt_meminfo():
                found += self.get_meminfos(builder, kind, get(val))
        return found

    return get_meminfos


def _listed_at_once(find: Callable[..., Any]) -> Callable[..., Any]:
    """Find the variables in an instruction without examining its strings and locations."""
    plain = {ir.Loc, str, int, type(None)}

    def _rec_list_vars(self: Any, val: Any) -> list[Any]:
        found: list[Any] = []
        for one in val.values() if type(val) is dict else [val]:
            if type(one) is ir.Var:
                found.append(one)
            elif type(one) not in plain:
                found += _rec_list_vars(self, one) if type(one) is dict else find(self, one)
        return found

    return _rec_list_vars


def _unwatched(watch: Callable[..., Any]) -> Callable[..., Any]:
    """Do not prepare for warnings or errors."""
    return lambda *_, **__: nullcontext()


SHORTCUTS: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("numba.core.types:BaseFunction", "get_call_type", _remembering),
    ("numba.core.base:BaseContext", "refresh", _when_needed),
    ("numba.core.typing.context:BaseContext", "refresh", _when_needed),
    ("numba.core.postproc:PostProcessor", "run", _without_entry_variables),
    ("numba.core.runtime.context:NRTContext", "get_meminfos", _only_counted),
    ("numba.core.ir:Inst", "_rec_list_vars", _listed_at_once),
    ("numba.core.base", "_has_loc", cache),
    ("numba.core.typeinfer", "new_error_context", _unwatched),
    ("numba.core.errors:WarningsFixer", "catch_warnings", _unwatched),
]
