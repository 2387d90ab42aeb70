"""How numba compiles hbtom's functions: a part has no machine code of its own.

numba optimises each function, turns it into machine code, and does both again within every
function that calls it. Only kernels are called from Python, so only they need machine code. A part
is kept as the compiler's intermediate code, and is optimised where a kernel takes it in.

This is the only module that knows numba's compiler from inside; :mod:`hbtom.compiled` imports it
when it starts the compiler.
"""

from __future__ import annotations

from typing import Any

from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class PartLibrary(JITCodeLibrary):
    """The intermediate code of a part, ready to be linked into kernels."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Do nothing: kernels optimise their parts."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Make a part's intermediate code, and let other functions call it."""

    _name = "hbtom_part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower a function without making machine code of it."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state.cr.fndesc
        # Nobody can call this function; numba knows the part by it.
        entry = make_function(made.lookup_module(), made.qualname, "", 0, state.cr.env, ())
        state.targetctx.insert_user_function(entry, made, [state.library])
        if reload := getattr(state.library, "_reload_init", ()):  # older versions have none
            state.reload_init.extend(reload)
        state.cr = state.cr._replace(cfunc=entry)
        return True


class PartCompiler(CompilerBase):
    """numba's own passes, but for the last: parts are not turned into machine code."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (PartLowering, why) if one is NativeLowering else (one, why)
            for one, why in passes.passes
        ]
        passes.finalize()
        return [passes]
