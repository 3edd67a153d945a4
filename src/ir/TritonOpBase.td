// What every operation of the dialect tt has in common.
#ifndef TRITON_IR_OP_BASE_TD
#define TRITON_IR_OP_BASE_TD

include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "ir/AtomicOpInterface.td"
include "ir/TritonEnums.td"
include "ir/TritonTypes.td"

def TT_TensorSize : NativeOpTrait<"TensorSize"> {
  let cppNamespace = "::triton::tt";
}

def TT_SameElements : NativeOpTrait<"SameElements"> {
  let cppNamespace = "::triton::tt";
}

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<Triton_Dialect, mnemonic, !listconcat(traits, [TT_TensorSize])>;

/// The result has the shape of the operand and is computed element by element.
class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat([Pure, Elementwise, SameOperandsAndResultShape], traits)>;

/// Declares the inference of result types; the definition stands beside the verifier.
defvar TT_InfersTypes = InferTypeOpAdaptor;

#endif
