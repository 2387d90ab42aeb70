"""How numba compiles hbtom's functions: only kernels have machine code of their own.

By default, numba optimises each function, turns it into machine code, and does both again within
every function that calls it. Only kernels are called from Python, so only they need machine code.
Their parts, and numba's implementations of numpy's functions, are kept as intermediate code and
optimised within the kernels that call them.

Only this module, :mod:`hbtom.lowering` and :mod:`hbtom.numba_shortcuts` use the internals of
numba's compiler. :mod:`hbtom.compiled` imports them when it starts the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from llvmlite import binding
from numba import njit
from numba._dynfunc import make_function
from numba.core import config, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.target_extension import jit_registry, target_registry
from numba.core.typed_passes import NativeLowering

from hbtom.lowering import BorrowingLower
from hbtom.numba_shortcuts import UncheckedPasses, with_shortcuts

# The same for all: numba compiles its own functions again for callers with other options.
_OPTIONS: Any = {"error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
_SETTINGS: Any = config
# These passes are for features that hbtom's functions do not use, such as closures.
_NEEDLESS = {
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.NopythonRewrites,
}


def dispatcher(function: Callable[..., Any], *, called_from_python: bool) -> Any:
    """Return numba's dispatcher of a function: a kernel if Python calls it, else a part."""
    compiler = KernelCompiler if called_from_python else PartCompiler
    return njit(pipeline_class=compiler, **_OPTIONS)(function)


@contextmanager
def fast_compilation() -> Iterator[None]:
    """Let numba compile its own functions as parts, too, and skip needless work."""
    cpu = target_registry["cpu"]
    before = jit_registry[cpu]
    with with_shortcuts():
        try:
            dict.__setitem__(jit_registry, cpu, _as_helper)
            yield
        finally:
            dict.__setitem__(jit_registry, cpu, before)


def _as_helper(**options: Any) -> Callable[..., Any]:
    own = {name: value for name, value in options.items() if name not in ("nopython", *_OPTIONS)}
    return njit(pipeline_class=HelperCompiler, **own, **_OPTIONS)


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel, which is optimised once it is complete."""

    def add_linking_library(self, library: Any) -> None:
        """Add a library that this function calls; for a part, also everything that it calls."""
        super().add_linking_library(library)
        if isinstance(library, PartLibrary):
            self._linking_libraries.pop()
            called, known = [Bare(library), *library._linking_libraries], {*self._linking_libraries}
            self._linking_libraries.extend(one for one in called if one not in known)

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a lowered module and empty it, because garbage collection would take longer."""
        super().add_ir_module(ir_module)
        for block in [one for function in ir_module.functions for one in function.blocks]:
            vars(block).clear()
        ir_module.globals.clear()

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimise once, where numba does so twice, and unroll no loops.

        Arrays are so small that unrolling loops gains nothing; vectorising them does. Level 3 takes
        a tenth longer than level 2, and its code is hardly faster.
        """
        if not hasattr(self._codegen, "_pass_builder"):  # older versions optimise differently
            super()._optimize_final_module()
            return
        options = binding.create_pipeline_tuning_options(min(_SETTINGS.OPT, 2))
        options.loop_unrolling = options.slp_vectorization = False
        options.loop_vectorization = bool(_SETTINGS.LOOP_VECTORIZE)
        builder = binding.create_pass_builder(self._codegen._tm, options)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        passes.run(self._final_module, builder)


class PartLibrary(KernelLibrary):
    """The intermediate code of a part alone; kernels link it to what it calls, and optimise it."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a lowered module, linked so that kernels can merge it with others."""
        for function in ir_module.functions:
            function.linkage = "linkonce_odr" if function.blocks else function.linkage
        super().add_ir_module(ir_module)

    def add_llvm_module(self, ll_module: Any) -> None:
        """Keep the only module of a part."""
        self._optimize_functions(ll_module)
        self._final_module = ll_module

    def finalize(self) -> None:
        """Leave the part as it is."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the part with everything that it calls, for callers that are not kernels."""
        module = self._final_module.clone()
        for one in self._linking_libraries:
            module.link_in(one._get_module_for_linking(), preserve=True)
        return module


class Bare(NamedTuple):
    """A part without the functions that it calls, as kernels and other parts link it."""

    part: PartLibrary

    @property
    def _reload_init(self) -> set[str]:
        return getattr(self.part, "_reload_init", set())  # older versions have none

    def _get_module_for_linking(self) -> Any:
        return self.part._final_module


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Make a kernel's machine code, and let Python call it."""

    _name = "hbtom_kernel_lowering"
    lowering_class = BorrowingLower

    def run_pass(self, state: Any) -> bool:
        """Lower a function together with everything that it calls."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags.no_cpython_wrapper = False
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Make a part's intermediate code, and let other functions call it."""

    _name = "hbtom_part_lowering"
    lowering_class = BorrowingLower

    def run_pass(self, state: Any) -> bool:
        """Lower a function without producing machine code."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state.cr.fndesc
        # This function cannot be called; numba identifies the part by it.
        entry = make_function(made.lookup_module(), made.qualname, "", 0, state.cr.env, ())
        state.targetctx.insert_user_function(entry, made, [state.library])
        if reload := getattr(state.library, "_reload_init", ()):  # older versions have none
            state.reload_init.extend(reload)
        state.cr = state.cr._replace(cfunc=entry)
        return True


class HelperCompiler(CompilerBase):
    """numba's own passes except the last: a helper is not turned into machine code."""

    lowering: type[NativeLowering] = PartLowering
    manager: type[PassManager] = PassManager
    needless: frozenset[type] = frozenset()

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        given = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = self.manager(given.pipeline_name)
        passes.passes = [
            (self.lowering, why) if one is NativeLowering else (one, why)
            for one, why in given.passes
            if one not in self.needless
        ]
        passes.finalize()
        return [passes]


class PartCompiler(HelperCompiler):
    """Makes the intermediate code of a part."""

    manager = UncheckedPasses
    needless = frozenset(_NEEDLESS)


class KernelCompiler(PartCompiler):
    """Makes the machine code of a kernel."""

    lowering = KernelLowering
