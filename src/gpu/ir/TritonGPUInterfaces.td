// Interfaces of the encodings. Tensors and buffers have layouts of any class that implements one of them.
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
    InterfaceMethod<"how the blocks of a cluster share a tensor, as on #ttg.blocked", "::llvm::ArrayRef<int32_t>",
                    "getBlockBases">,
    InterfaceMethod<"where one block has the elements of accumulators of this shape", "::triton::layout::LinearLayout",
                    "getAccumulatorLayout", (ins "::llvm::ArrayRef<int32_t>":$shape)>,
    InterfaceMethod<"where those of operand 0 or 1 are; `kWidth` neighbours along K lie in one thread",
                    "::triton::layout::LinearLayout", "getOperandLayout",
                    (ins "::llvm::ArrayRef<int32_t>":$shape, "unsigned":$operand, "unsigned":$kWidth)>
  ];
}

def TTG_SharedEncodingInterface : AttrInterface<"SharedEncodingInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    The encoding of a buffer in shared memory. Whatever concerns where its elements lie goes through this interface.
  }];
  let methods = [
    InterfaceMethod<[{
      The dimensions that it orders. A buffer may have more: these come first and are the slowest, as the slots of a ring
      are.
    }], "unsigned", "getRank">,
    InterfaceMethod<"how the blocks of a cluster share a buffer, as on #ttg.blocked", "::llvm::ArrayRef<int32_t>",
                    "getBlockBases">,
    InterfaceMethod<"offset -> (dim0, ...), in elements, for the part of one block, which has at least this rank",
                    "::triton::layout::LinearLayout", "getOffsetLayout", (ins "::llvm::ArrayRef<int32_t>":$shape)>,
    InterfaceMethod<"A buffer of so many bytes starts at a multiple of this many.", "std::size_t", "getAlignment",
                    (ins "std::size_t":$bytes)>,
    InterfaceMethod<[{
      Pairs (interval, padding), in elements: behind each `interval` of them in the order of offsets, `padding` lie unused.
    }], "::llvm::ArrayRef<int32_t>", "getPaddings", (ins), "", "return {};">,
    InterfaceMethod<[{
      The encoding of the view whose dimension i is dimension `order[i]` of the buffer; null when there is none.
    }], "::mlir::Attribute", "getPermuted", (ins "::llvm::ArrayRef<int32_t>":$order)>,
    InterfaceMethod<"Checks that a buffer of this shape and element can have the encoding.", "::llvm::LogicalResult",
                    "verifyBuffer", (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
                                         "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType)>
  ];
}

#endif
