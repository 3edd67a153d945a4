// Types of the dialect ttg.
#ifndef TRITON_GPU_IR_TYPES_TD
#define TRITON_GPU_IR_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "gpu/ir/TritonGPUDialect.td"

class TTG_TypeDef<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TritonGPU_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TTG_MemDesc : TTG_TypeDef<"MemDesc", "memdesc", [ShapedTypeInterface]> {
  let summary = "view of a buffer in shared memory";
  let description = [{
    `!ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory, mutable>`. Without `mutable` the contents are set once, by the
    operation that allocates. A part of a buffer, which `ttg.memdesc_subslice` makes, also says the shape of the whole, by
    which its elements lie: `!ttg.memdesc<128x16xf16, #shared, #ttg.shared_memory, mutable, 128x64>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace, "bool":$mutableMemory,
                        ArrayRefParameter<"int64_t">:$wholeShape);
  let skipDefaultBuilders = 1;
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$encoding,
                     "::mlir::Attribute":$memorySpace, "bool":$mutableMemory,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$wholeShape), [{
      return $_get($_ctxt, shape, elementType, encoding, memorySpace, mutableMemory,
                   wholeShape == shape ? ::llvm::ArrayRef<int64_t>() : wholeShape);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    MemDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const {
      return MemDescType::get(getContext(), shape.value_or(getShape()), elementType, getEncoding(), getMemorySpace(),
                              getMutableMemory(), getWholeShape());
    }
    /// Whether it is a part of a buffer, whose shape is that of the whole.
    bool isPart() const { return !getWholeShape().empty(); }
    ::llvm::ArrayRef<int64_t> getAllocShape() const { return isPart() ? getWholeShape() : getShape(); }
    bool hasRank() const { return true; }
  }];
}

def TTG_AsyncToken : TTG_TypeDef<"AsyncToken", "async.token"> {
  let summary = "stands for asynchronous copies that were issued";
}

/// In tensor memory as well, which TTGIR of Triton has.
def TTG_AnyMemDescValue
    : DialectType<TritonGPU_Dialect, CPred<"::mlir::isa<::triton::ttg::MemDescType>($_self)">, "buffer view in any memory",
                  "::triton::ttg::MemDescType">;
def TTG_MemDescValue
    : DialectType<TritonGPU_Dialect, And<[TTG_AnyMemDescValue.predicate, CPred<
        "::mlir::isa<::triton::ttg::SharedMemorySpaceAttr>("
        "::mlir::cast<::triton::ttg::MemDescType>($_self).getMemorySpace())">]>,
                  "buffer view", "::triton::ttg::MemDescType">;
def TTG_TokenValue
    : DialectType<TritonGPU_Dialect, CPred<"::mlir::isa<::triton::ttg::AsyncTokenType>($_self)">, "copy token",
                  "::triton::ttg::AsyncTokenType">, BuildableType<"::triton::ttg::AsyncTokenType::get($_builder.getContext())">;

#endif
