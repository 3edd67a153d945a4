// What Triton's dialect ttng has of tensor maps that kernels make, of copies through them, and of the barriers at which
// these are counted: `tritongpu-expand-foreign` makes operations of dialect ttg of them.
#ifndef TRITON_GPU_IR_FOREIGN_OPS_TD
#define TRITON_GPU_IR_FOREIGN_OPS_TD

include "ir/TritonOpBase.td"
include "gpu/ir/TritonGPUTypes.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::triton::ttg::foreign";
}

/// Of what the threads of a program share.
defvar TTNG_AnyMemory = MemoryEffects<[MemRead, MemWrite]>;

class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<TTNG_Dialect, mnemonic, traits>;

def TTNG_GlobalScratchAllocOp : TTNG_Op<"global_scratch_alloc", [TTNG_AnyMemory]> {
  let summary = "memory of the program, for a tensor map";
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [AttrSizedOperandSegments, TTNG_AnyMemory]> {
  let summary = "write a tensor map, with the fastest dimension first";
  let description = "Strides are in bytes, without that of the fastest dimension.";
  let arguments = (ins
    TT_Ptr:$map, TT_Ptr:$base, Variadic<I32>:$box, Variadic<I32>:$shape, Variadic<I64>:$strides,
    Variadic<I32>:$elementStrides, I32Attr:$elem_type, I32Attr:$interleave_layout, I32Attr:$swizzle_mode,
    I32Attr:$fill_mode);
  let assemblyFormat = [{
    $map `,` $base `,` `[` $box `]` `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $elementStrides `]` attr-dict `:`
    functional-type(operands, results)
  }];
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [TTNG_AnyMemory]> {
  let summary = "let copies see a map that was written";
  let arguments = (ins TT_Ptr:$map);
  let assemblyFormat = "$map attr-dict `:` qualified(type($map))";
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "the descriptor whose map was written there";
  let arguments = (ins TT_Ptr:$map);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = "$map attr-dict `:` qualified(type($map)) `to` qualified(type($result))";
}

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local", [TTNG_AnyMemory]> {
  let summary = "start to copy a block to a buffer where `condition` is true";
  let arguments = (ins TT_TensorDescType:$descriptor, Variadic<I32>:$indices, TTG_MemDescValue:$dst,
                       TTG_MemDescValue:$barrier, I1:$condition);
  let assemblyFormat = [{
    $descriptor `[` $indices `]` $dst `,` $barrier `,` $condition attr-dict `:` qualified(type($descriptor)) `,`
    qualified(type($barrier)) `->` qualified(type($dst))
  }];
}

def TTNG_AsyncTMACopyLocalToGlobalOp : TTNG_Op<"async_tma_copy_local_to_global", [TTNG_AnyMemory]> {
  let summary = "start to copy a buffer to a block";
  let arguments = (ins TT_TensorDescType:$descriptor, Variadic<I32>:$indices, TTG_MemDescValue:$src);
  let assemblyFormat = [{
    $descriptor `[` $indices `]` $src attr-dict `:` qualified(type($descriptor)) `,` qualified(type($src))
  }];
}

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier", [TTNG_AnyMemory]> {
  let summary = "make a barrier, and meet";
  let arguments = (ins TTG_MemDescValue:$barrier, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let assemblyFormat = "$barrier `,` $count attr-dict `:` qualified(type($barrier))";
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier", [TTNG_AnyMemory]> {
  let summary = "meet, and end the use of a barrier";
  let arguments = (ins TTG_MemDescValue:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect", [TTNG_AnyMemory]> {
  let summary = "announce bytes at a barrier where `condition` is true";
  let arguments = (ins TTG_MemDescValue:$barrier, ConfinedAttr<I32Attr, [IntNonNegative]>:$bytes, I1:$condition);
  let assemblyFormat = "$barrier `,` $bytes `,` $condition attr-dict `:` qualified(type($barrier))";
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments, TTNG_AnyMemory]> {
  let summary = "wait until the phase of this parity has ended, unless `condition` is false";
  let description = "Buffers behind `deps` are kept so long.";
  let arguments = (ins TTG_MemDescValue:$barrier, I32:$parity, Optional<I1>:$condition,
                       Variadic<TTG_MemDescValue>:$kept);
  let assemblyFormat = [{
    $barrier `,` $parity (`,` $condition^)? (`deps` $kept^)? attr-dict `:` qualified(type($barrier))
    (`,` qualified(type($kept))^)?
  }];
}

#endif
