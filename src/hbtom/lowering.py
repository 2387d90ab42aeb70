"""How numba turns hbtom's functions into intermediate code, with fewer instructions.

The optimiser would remove these instructions anyway, but it is faster not to write them at all.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from numba.core import cgutils, ir, types
from numba.core.lowering import Lower

_NAMED_TUPLE: Any = types.BaseNamedTuple
_TUPLE: Any = types.BaseTuple
_ARRAY: Any = types.Array
_WHOLE: Any = types.int64
_PLAIN: Any = (types.Number, types.Boolean)


class BorrowingLower(Lower):
    """Counts no references to arguments, because the caller keeps them alive.

    numba would count those of all arrays in a tuple, each time the tuple is used.
    """

    def extract_function_arguments(self) -> Any:
        """Find the variables that stand for an argument, or for a field of one."""
        arguments = super().extract_function_arguments()
        blocks = [self.blocks[offset] for offset in sorted(self.blocks)]
        assigned = [one for block in blocks for one in block.find_insts(ir.Assign)]
        times = Counter(one.target.name for one in assigned)
        self._given: dict[str, Any] = {}
        for one in assigned:
            name = one.target.name
            given = self._find_given(one.value, self.typeof(name)) if times[name] == 1 else None
            if given is not None:
                self._given[name] = given
        return arguments

    def _find_given(self, value: Any, wanted: Any) -> Any:
        """Return the argument, or the field of one, that a value stands for; None if neither."""
        if isinstance(value, ir.Arg) and self.typeof(f"arg.{value.name}") == wanted:
            return self.fnargs[value.index]
        if isinstance(value, ir.Var) and self.typeof(value.name) == wanted:
            return self._given.get(value.name)
        if isinstance(value, ir.Expr) and value.op == "getattr":
            owner, kind = self._given.get(value.value.name), self.typeof(value.value.name)
            if owner is not None and isinstance(kind, _NAMED_TUPLE):
                return self.builder.extract_value(owner, kind.fields.index(value.attr))
        return None

    def lower_block(self, block: Any) -> None:
        """Lower a block; unlike numba, do not prepare an error message for each line."""
        self.pre_block(block)
        for inst in block.body:
            self.loc = inst.loc
            self.lower_inst(inst)
        self.post_block(block)

    def lower_inst(self, inst: Any) -> None:
        """Lower an instruction; skip assignments of arguments, whose values are known."""
        if not (isinstance(inst, ir.Assign) and inst.target.name in self._given):
            super().lower_inst(inst)

    def loadvar(self, name: str) -> Any:
        """Return the value of a variable."""
        return self._given[name] if name in self._given else super().loadvar(name)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Set a variable; a value without references is simply overwritten."""
        if argidx is None and name not in self._singly_assigned_vars and self._is_plain(name):
            self.builder.store(value, self.getvar(name))
        else:
            super().storevar(value, name, argidx)

    def delvar(self, name: str) -> None:
        """Delete a variable and its references, unless it is an argument."""
        if name not in self._given and not self._is_plain(name):
            super().delvar(name)

    def _is_plain(self, name: str) -> bool:
        """Return whether a variable has no references that numba counts."""
        kind = self.typeof(name)
        if isinstance(kind, _PLAIN):
            return True
        return not self.context.data_model_manager[kind].contains_nrt_meminfo()

    def _alloca_var(self, name: str, fetype: Any) -> None:
        if name not in self._given:
            super()._alloca_var(name, fetype)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Read an element of an array; unlike numba, do not copy the array's descriptor."""
        place = self._find_item(value.name, index.name, signature.args)
        if place is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        kind = signature.return_type
        item = self.context.unpack_value(self.builder, kind, place)
        return self.context.cast(self.builder, item, kind, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Write an element of an array."""
        place = self._find_item(target_var.name, index_var.name, signature.args)
        if place is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        given, kind = self.typeof(value_var.name), signature.args[0].dtype
        value = self.context.cast(self.builder, self.loadvar(value_var.name), given, kind)
        self.context.pack_value(self.builder, kind, value, place)
        return None

    def _find_item(self, array: str, index: str, types: tuple[Any, ...]) -> Any:
        """Return the address of an element, or None unless each axis has an integer index."""
        kind, at = types[0], types[1]
        axes = tuple(at) if isinstance(at, _TUPLE) else (at,)
        plain = isinstance(kind, _ARRAY) and (kind.layout, kind.aligned) == ("C", True)
        if not plain or len(axes) != kind.ndim or set(axes) != {_WHOLE}:
            return None
        value = self.loadvar(array)
        where = self.context.cast(self.builder, self.loadvar(index), self.typeof(index), at)
        builder, model = self.builder, self.context.data_model_manager[kind]
        if isinstance(at, _TUPLE):
            indices = [builder.extract_value(where, axis) for axis in range(len(axes))]
        else:
            indices = [where]
        sizes = model.get_field_position("shape")
        return cgutils.get_item_pointer2(
            self.context,
            builder,
            data=builder.extract_value(value, model.get_field_position("data")),
            shape=[builder.extract_value(value, [sizes, axis]) for axis in range(len(axes))],
            strides=[],
            layout="C",
            inds=indices,
            wraparound=True,
            boundscheck=self.context.enable_boundscheck,
        )

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Allocate a variable; unlike numba, do not determine its size for debuggers."""
        return cgutils.alloca_once(self.builder, lltype, name=name)
