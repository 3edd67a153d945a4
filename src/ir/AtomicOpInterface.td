// What atomic accesses of memory have in common.
#ifndef TRITON_IR_ATOMIC_OP_INTERFACE_TD
#define TRITON_IR_ATOMIC_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def TT_AtomicOpInterface : OpInterface<"AtomicOpInterface"> {
  let cppNamespace = "::triton::tt";
  let description = [{
    An atomic access of memory. Its first operand is the pointer. No access moves across it.
  }];
  let methods = [
    InterfaceMethod<"The pointer, or the tensor of pointers.", "::mlir::Value", "getPtr">,
    InterfaceMethod<"Which elements are accessed; null: all.", "::mlir::Value", "getMask", (ins), "",
      "return ::mlir::Value();">,
    InterfaceMethod<"What the access orders.", "::triton::tt::MemSemantic", "getSem">,
    InterfaceMethod<"For which observers.", "::triton::tt::MemSyncScope", "getScope">
  ];
}

#endif
