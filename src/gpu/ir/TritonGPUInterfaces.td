// Interfaces of the encodings.
#ifndef TRITON_GPU_IR_INTERFACES_TD
#define TRITON_GPU_IR_INTERFACES_TD

include "mlir/IR/Interfaces.td"

def TTG_MatrixEncodingInterface : AttrInterface<"MatrixEncodingInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    The encoding of accumulators of matrix units. It says where their instructions have the elements of a result, and of
    the operands, whose encoding is a `#ttg.dot_op` with this one as parent.
  }];
  let methods = [
    InterfaceMethod<"dimensions of the tensors that it is for", "unsigned", "getRank">,
    InterfaceMethod<"where the elements of accumulators of this shape are", "::triton::layout::LinearLayout",
                    "getAccumulatorLayout", (ins "::llvm::ArrayRef<int32_t>":$shape)>,
    InterfaceMethod<"where those of operand 0 or 1 are; `kWidth` neighbours along K lie in one thread",
                    "::triton::layout::LinearLayout", "getOperandLayout",
                    (ins "::llvm::ArrayRef<int32_t>":$shape, "unsigned":$operand, "unsigned":$kWidth)>
  ];
}

#endif
