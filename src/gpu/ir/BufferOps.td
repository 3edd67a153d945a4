// Operations of the dialect ttg that access memory by a base and offsets. TritonGPUOps.td includes it.
#ifndef TRITON_GPU_IR_BUFFER_OPS_TD
#define TRITON_GPU_IR_BUFFER_OPS_TD

/// An access of the elements at `offsets` behind `ptr`, as Triton writes most accesses for AMD's GPUs.
class TTG_BufferOp<string mnemonic, string elements, list<Trait> traits = []>
    : TTG_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<TTG_LayoutOpInterface>,
        TypesMatchWith<"offsets are i32, one for each element", elements, "offsets",
                       "::triton::tt::withElementType($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
        OptionalTypesMatchWith<"mask has a bit for each element", elements, "mask",
                               "::triton::tt::getI1SameShape($_self)">], traits)> {
  let hasVerifier = 1;
}

def TTG_BufferLoadOp : TTG_BufferOp<"buffer_load", "result", [
    AttrSizedOperandSegments, OptionalTypesMatchWith<"other is like the result", "result", "other", "$_self">]> {
  let summary = "load the elements at `offsets` behind a pointer";
  let description = [{
    No offset of an element whose mask is true is negative. `stride`, in elements, says how far rows lie apart; it decides
    nothing but the order of requests. `tritongpu-expand-foreign` makes a `tt.load` of it.

    ```mlir
    %x = ttg.buffer_load %p[%offsets], %mask : !tt.ptr<f16> -> tensor<64x32xf16, #blocked>
    ```
  }];
  let arguments = (ins
    Arg<TT_Ptr, "", [MemRead]>:$ptr, TT_IntTensor:$offsets, Optional<TT_BoolTensor>:$mask, Optional<TT_Tensor>:$other,
    Optional<I32>:$stride, DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tt::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tt::EvictionPolicy::Normal">:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? (`stride` `=` $stride^)?
    `` custom<AccessHints>(attr-dict, $cache, $evict) `:` qualified(type($ptr)) `->` type($result)
  }];
}

def TTG_BufferStoreOp : TTG_BufferOp<"buffer_store", "value", [AttrSizedOperandSegments]> {
  let summary = "store elements at `offsets` behind a pointer";
  let description = [{
    The counterpart of `ttg.buffer_load`.

    ```mlir
    ttg.buffer_store %x, %p[%offsets], %mask : !tt.ptr<f16> -> tensor<64x32xf16, #blocked>
    ```
  }];
  let arguments = (ins
    TT_Tensor:$value, Arg<TT_Ptr, "", [MemWrite]>:$ptr, TT_IntTensor:$offsets, Optional<TT_BoolTensor>:$mask,
    Optional<I32>:$stride, DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tt::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tt::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)? (`stride` `=` $stride^)?
    `` custom<AccessHints>(attr-dict, $cache, $evict) `:` qualified(type($ptr)) `->` type($value)
  }];
}

def TTG_BufferAtomicRMWOp : TTG_BufferOp<"buffer_atomic_rmw", "result", [
    AttrSizedOperandSegments, AllTypesMatch<["value", "result"]>]> {
  let summary = "`tt.atomic_rmw` at `offsets` behind a pointer";
  let description = [{
    ```mlir
    %old = ttg.buffer_atomic_rmw fadd, relaxed, gpu, %x, %p[%offsets], %mask : !tt.ptr<f32> -> tensor<64xf32, #blocked>
    ```
  }];
  let arguments = (ins
    TT_AtomicRMWAttr:$atomic_rmw_op, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope, TT_Tensor:$value,
    Arg<TT_Ptr, "", [MemRead, MemWrite]>:$ptr, TT_IntTensor:$offsets, Optional<TT_BoolTensor>:$mask,
    Optional<I32>:$stride);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? (`stride` `=` $stride^)?
    attr-dict `:` qualified(type($ptr)) `->` type($result)
  }];
}

#endif
