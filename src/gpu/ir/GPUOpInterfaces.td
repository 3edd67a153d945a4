// What the middle end asks of operations, whatever dialect they belong to. Operations of dialect ttg answer for
// themselves; InterfaceModels.cpp answers for those of tt and arith.
#ifndef TRITON_GPU_IR_OP_INTERFACES_TD
#define TRITON_GPU_IR_OP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TTG_PredicableOpInterface : OpInterface<"PredicableOpInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    An operation with an effect, or with operands for which it is undefined, that can run for an iteration that does not
    exist when a condition says so.
  }];
  let methods = [
    InterfaceMethod<[{
      Changes the operation so that it accesses no global memory and is defined where `condition`, of type i1, is false;
      its results are then not used. `builder` stands before the operation.
    }], "void", "predicate", (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$condition)>
  ];
}

def TTG_LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    How the layouts of an operation's tensors are related. Every operation on tensors with layouts says it, or is
    elementwise: rule ttgir-2 refuses one that does not.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the operation is pure and may compute in any layout, from operands in a layout that follows: it can be
      repeated for another layout.
    }], "bool", "computesInAnyLayout">,
    InterfaceMethod<[{
      The layout of the results when the tensor operands have the layout `operand`; null when the operation cannot take
      it, or when the layouts are not related.
    }], "::mlir::Attribute", "inferResultLayout", (ins "::mlir::Attribute":$operand)>,
    InterfaceMethod<[{
      The layout in which tensor operands give results in a layout equivalent to `result`; null when there is none.
    }], "::mlir::Attribute", "inferOperandLayout", (ins "::mlir::Attribute":$result)>,
    InterfaceMethod<[{
      Checks the layouts of the types: operands agree, and results have the layout that follows, unless the operation has
      a rule of its own.
    }], "::llvm::LogicalResult", "verifyLayouts", (ins), "", [{
      return ::triton::ttg::verifyRelatedLayouts($_op, [&](::mlir::Attribute operand) {
        return ::mlir::cast<::triton::ttg::LayoutOpInterface>($_op.getOperation()).inferResultLayout(operand);
      });
    }]>
  ];
}

def TTG_SharedMemoryOpInterface : OpInterface<"SharedMemoryOpInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    Which buffers an operation accesses, and what it makes other threads wait for. Every operation of dialect ttg defines
    it: one that does not has no definition to link with.
  }];
  let methods = [
    InterfaceMethod<"Appends the buffers that the operation reads or writes.", "void", "getBufferAccesses",
      (ins "::llvm::SmallVectorImpl<::triton::ttg::BufferAccess> &":$accesses)>,
    InterfaceMethod<"What the operation waits for.", "::triton::ttg::Synchronization", "getSynchronization", (ins), "",
      "return ::triton::ttg::Synchronization::None;">
  ];
}

def TTG_ScratchOpInterface : OpInterface<"ScratchOpInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    An operation that needs shared memory for itself while it runs. To the outside it starts with a write of it and ends
    with a read, with a barrier between.
  }];
  let methods = [
    InterfaceMethod<"Bytes that the operation needs; the lowering uses the same plan.", "std::size_t", "getScratchBytes">
  ];
}

#endif
