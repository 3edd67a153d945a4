// What Triton's dialect ttng has. Of tensor maps that kernels make, of copies through them, and of the barriers at which
// these are counted `tritongpu-expand-foreign` makes operations of dialect ttg. What has to do with tensor memory stays.
#ifndef TRITON_GPU_IR_FOREIGN_OPS_TD
#define TRITON_GPU_IR_FOREIGN_OPS_TD

include "ir/TritonOpBase.td"
include "gpu/ir/GPUOpInterfaces.td"
include "gpu/ir/TritonGPUTypes.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::triton::ttg::foreign";
}

/// Only compute capabilities from 10.0 to 11.0 have it.
def TTNG_OfBlackwell : NativeOpTrait<"OfBlackwell"> {
  let cppNamespace = "::triton::ttg::foreign";
}

/// Of what the threads of a program share.
defvar TTNG_AnyMemory = MemoryEffects<[MemRead, MemWrite]>;

def TTNG_TensorMemoryValue
    : DialectType<TTNG_Dialect, CPred<"::triton::ttg::isInTensorMemory($_self)">, "buffer in tensor memory",
                  "::triton::ttg::MemDescType">;

class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<TTNG_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Maps, copies and barriers
//===----------------------------------------------------------------------===//

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
                       TTG_MemDescValue:$barrier, I1:$condition, UnitAttr:$multicast);
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
  let arguments = (ins TTG_MemDescValue:$barrier, ConfinedAttr<I32Attr, [IntNonNegative]>:$bytes, I1:$condition,
                       OptionalAttr<I32Attr>:$fromCTA);
  let assemblyFormat = "$barrier `,` $bytes attr-dict `,` $condition `:` qualified(type($barrier))";
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments, TTNG_AnyMemory]> {
  let summary = "wait until the phase of this parity has ended, unless `condition` is false";
  let description = "Buffers behind `deps` are kept so long.";
  let arguments = (ins TTG_MemDescValue:$barrier, I32:$parity, Optional<I1>:$condition,
                       Variadic<TTG_AnyMemDescValue>:$kept);
  let assemblyFormat = [{
    $barrier `,` $parity (`,` $condition^)? (`deps` $kept^)? attr-dict `:` qualified(type($barrier))
    (`,` qualified(type($kept))^)?
  }];
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier", [TTNG_AnyMemory]> {
  let summary = "meet, and arrive `count` times where `condition` is true";
  let arguments = (ins TTG_MemDescValue:$barrier, ConfinedAttr<I32Attr, [IntPositive]>:$count, Optional<I1>:$condition,
                       OptionalAttr<I32Attr>:$fromCTA);
  let assemblyFormat = "$barrier `,` $count (`,` $condition^)? attr-dict `:` qualified(type($barrier))";
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive", [TTNG_AnyMemory]> {
  let summary = "each thread arrives when its copies have ended";
  let arguments = (ins TTG_MemDescValue:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

//===----------------------------------------------------------------------===//
// What compute capability 10.0 added
//===----------------------------------------------------------------------===//

class TTNG_Attr<string name, string attrMnemonic> : AttrDef<TTNG_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def TTNG_TensorMemorySpace : AttrDef<TTNG_Dialect, "TensorMemorySpace"> {
  let mnemonic = "tensor_memory";
  let summary = "the memory space of the matrix unit's own memory";
}

def TTNG_TensorMemoryEncoding : TTNG_Attr<"TensorMemoryEncoding", "tensor_memory_encoding"> {
  let summary = "tensor memory in blocks of `blockM` rows, a column for `colStride` 32-bit words";
  let parameters = (ins "unsigned":$blockM, "unsigned":$blockN, "unsigned":$colStride,
                        ArrayRefParameter<"int32_t">:$blockBases, "bool":$twoCTAs, "bool":$fp4Padded);
  let genVerifyDecl = 1;
}

def TTNG_TensorMemoryScalesEncoding : TTNG_Attr<"TensorMemoryScalesEncoding", "tensor_memory_scales_encoding"> {
  let summary = "scales of a product in tensor memory, a copy for each quarter of its rows";
  let parameters = (ins ArrayRefParameter<"int32_t">:$blockBases);
  let genVerifyDecl = 1;
}

def TTNG_RedOp : TTNG_Attr<"RedOp", "redOp"> {
  let summary = "`min` or `max`";
  let parameters = (ins StringRefParameter<>:$kind);
  let genVerifyDecl = 1;
}

class TTNG_BlackwellOp<string mnemonic, list<Trait> traits = []>
    : TTNG_Op<mnemonic, [TTNG_AnyMemory, TTNG_OfBlackwell] # traits>;

/// An operation that accesses buffers in shared memory.
defvar TTNG_AccessesShared = DeclareOpInterfaceMethods<TTG_SharedMemoryOpInterface>;
/// An operation whose tensors have layouts of their own, which need not be related.
defvar TTNG_OwnLayouts = DeclareOpInterfaceMethods<TTG_LayoutOpInterface, ["verifyLayouts"]>;

def TTNG_AsyncTMAGatherOp : TTNG_BlackwellOp<"async_tma_gather"> {
  let summary = "start to copy the rows at `rows` to a buffer where `condition` is true";
  let arguments = (ins TT_TensorDescType:$descriptor, TT_IntTensor:$rows, I32:$column, TTG_MemDescValue:$dst,
                       TTG_MemDescValue:$barrier, I1:$condition, UnitAttr:$multicast);
  let assemblyFormat = [{
    $descriptor `[` $rows `,` $column `]` $dst `,` $barrier `,` $condition attr-dict `:`
    qualified(type($descriptor)) `,` type($rows) `,` type($column) `,` qualified(type($barrier)) `,`
    qualified(type($dst)) `,` type($condition)
  }];
}

def TTNG_AsyncTMAScatterOp : TTNG_BlackwellOp<"async_tma_scatter"> {
  let summary = "start to copy a buffer to the rows at `rows`";
  let arguments = (ins TT_TensorDescType:$descriptor, TT_IntTensor:$rows, I32:$column, TTG_MemDescValue:$src);
  let assemblyFormat = [{
    $descriptor `[` $rows `,` $column `]` $src attr-dict `:` qualified(type($descriptor)) `,` type($rows) `,`
    type($column) `,` qualified(type($src))
  }];
}

def TTNG_TMEMAllocOp : TTNG_BlackwellOp<"tmem_alloc", [TTNG_OwnLayouts]> {
  let summary = "a buffer in tensor memory, perhaps with contents";
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTNG_TensorMemoryValue:$result, Optional<TTG_TokenValue>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TTNG_TMEMReserveOp : TTNG_BlackwellOp<"tmem_reserve", [DeclareOpInterfaceMethods<TTG_ScratchOpInterface>]> {
  let summary = "reserve columns of tensor memory for the program, to which all its warps come";
  let description = "`tritongpu-place-tensor-memory` makes it of all `ttng.tmem_alloc`. The result is their address.";
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$columns);
  let results = (outs I32:$address);
  let assemblyFormat = "$columns attr-dict";
}

def TTNG_TMEMReleaseOp : TTNG_BlackwellOp<"tmem_release"> {
  let summary = "give columns back, when the threads have met";
  let arguments = (ins I32:$address, ConfinedAttr<I32Attr, [IntPositive]>:$columns);
  let assemblyFormat = "$address `,` $columns attr-dict";
}

def TTNG_TMEMPlaceOp : TTNG_Op<"tmem_place", [Pure, TTNG_OfBlackwell]> {
  let summary = "the buffer that begins so many columns behind an address";
  let arguments = (ins I32:$address, ConfinedAttr<I32Attr, [IntNonNegative]>:$column);
  let results = (outs TTNG_TensorMemoryValue:$result, Optional<TTG_TokenValue>:$token);
  let assemblyFormat = "$address `,` $column attr-dict `:` qualified(type($result)) (`,` type($token)^)?";
}

def TTNG_TMEMLoadOp : TTNG_BlackwellOp<"tmem_load", [AttrSizedResultSegments, TTNG_OwnLayouts]> {
  let summary = "the elements of a buffer in tensor memory, and perhaps the least or greatest of each row";
  let arguments = (ins TTNG_TensorMemoryValue:$src, Optional<TTG_TokenValue>:$dep, OptionalAttr<TTNG_RedOp>:$redOp,
                       OptionalAttr<BoolAttr>:$abs, OptionalAttr<BoolAttr>:$NaN);
  let results = (outs TT_Tensor:$result, Optional<TTG_TokenValue>:$token, Optional<TT_Tensor>:$red);
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($token)) attr-dict `:` qualified(type($src)) `->` type($result) (`,` type($red)^)?
  }];
  let hasVerifier = 1;
}

def TTNG_TMEMStoreOp : TTNG_BlackwellOp<"tmem_store", [TTNG_OwnLayouts]> {
  let summary = "store to a buffer in tensor memory where `condition` is true";
  let arguments = (ins TT_Tensor:$src, TTNG_TensorMemoryValue:$dst, Optional<TTG_TokenValue>:$dep, I1:$condition);
  let results = (outs Optional<TTG_TokenValue>:$token);
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($token)) `,` $condition attr-dict `:` type($src) `->`
    qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def TTNG_TMEMSubSliceOp : TTNG_Op<"tmem_subslice", [Pure, TTNG_OfBlackwell]> {
  let summary = "the view of a part of a buffer in tensor memory, from `offset` on along `dim`, or along the columns";
  let arguments = (ins TTNG_TensorMemoryValue:$src, I32Attr:$offset, OptionalAttr<I32Attr>:$dim);
  let results = (outs TTNG_TensorMemoryValue:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTNG_TMEMCopyOp : TTNG_BlackwellOp<"tmem_copy", [TTNG_AccessesShared]> {
  let summary = "start to copy a buffer to tensor memory";
  let arguments = (ins TTG_MemDescValue:$src, TTNG_TensorMemoryValue:$dst, Optional<TTG_MemDescValue>:$barrier);
  let assemblyFormat = [{
    $src `,` $dst (`,` $barrier^)? attr-dict `:` qualified(type($src)) `,` qualified(type($dst))
    (`,` qualified(type($barrier))^)?
  }];
  let hasVerifier = 1;
}

def TTNG_TCGen5MMAOp : TTNG_BlackwellOp<"tc_gen5_mma", [AttrSizedOperandSegments, TTNG_AccessesShared]> {
  let summary = "`d` = `a` * `b`, plus `d` where `useD` is true, in tensor memory";
  let description = "Where `condition` is false nothing happens. The product arrives at `barriers` when it is done.";
  let arguments = (ins TTG_AnyMemDescValue:$a, TTG_MemDescValue:$b, TTNG_TensorMemoryValue:$d,
                       Optional<TTG_TokenValue>:$dep, I1:$useD, I1:$condition, Variadic<TTG_MemDescValue>:$barriers,
                       Variadic<I1>:$barrierConditions, UnitAttr:$is_async, UnitAttr:$two_ctas, UnitAttr:$multicast);
  let results = (outs Optional<TTG_TokenValue>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($dep, type($token)) `,` $useD `,` $condition ``
    custom<Barriers>($barriers, $barrierConditions) attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,`
    qualified(type($d)) (`,` qualified(type($barriers))^)?
  }];
  let hasVerifier = 1;
}

def TTNG_TCGen5MMAScaledOp : TTNG_BlackwellOp<"tc_gen5_mma_scaled", [AttrSizedOperandSegments, TTNG_AccessesShared]> {
  let summary = "`ttng.tc_gen5_mma` of elements times the scales of their blocks along K";
  let arguments = (ins TTG_AnyMemDescValue:$a, TTG_MemDescValue:$b, TTNG_TensorMemoryValue:$d,
                       Optional<TTG_TokenValue>:$dep, TTNG_TensorMemoryValue:$aScale, TTNG_TensorMemoryValue:$bScale,
                       TT_ScaleDotElemTypeAttr:$aType, TT_ScaleDotElemTypeAttr:$bType, I1:$useD, I1:$condition,
                       Variadic<TTG_MemDescValue>:$barriers, Variadic<I1>:$barrierConditions, UnitAttr:$is_async,
                       UnitAttr:$two_ctas, UnitAttr:$multicast);
  let results = (outs Optional<TTG_TokenValue>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($dep, type($token)) `,` $aScale `,` $bScale `,` $useD `,` $condition `lhs` `=`
    $aType `rhs` `=` $bType `` custom<Barriers>($barriers, $barrierConditions) attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `,` qualified(type($d)) `,` qualified(type($aScale)) `,` qualified(type($bScale))
    (`,` qualified(type($barriers))^)?
  }];
  let hasVerifier = 1;
}

def TTNG_TCGen5CommitOp : TTNG_BlackwellOp<"tc_gen5_commit", [AttrSizedOperandSegments]> {
  let summary = "arrive at a barrier when all products that the thread has started are done";
  let arguments = (ins TTG_MemDescValue:$barrier, Optional<I1>:$condition, Variadic<TTG_AnyMemDescValue>:$descs);
  let assemblyFormat = [{
    $barrier (`,` $condition^)? (`descs` $descs^)? attr-dict `:` qualified(type($barrier))
    (`,` qualified(type($descs))^)?
  }];
}

def TTNG_CLCTryCancelOp : TTNG_BlackwellOp<"clc_try_cancel", [TTNG_AccessesShared]> {
  let summary = "ask for the work of a program that has not started, and arrive at a barrier with the answer";
  let arguments = (ins TTG_MemDescValue:$answer, TTG_MemDescValue:$barrier);
  let assemblyFormat = "$answer `,` $barrier attr-dict `:` qualified(type($answer)) `,` qualified(type($barrier))";
}

def TTNG_CLCLoadResultOp : TTNG_BlackwellOp<"clc_load_result", [TTNG_AccessesShared]> {
  let summary = "the answer to `ttng.clc_try_cancel`";
  let arguments = (ins TTG_MemDescValue:$answer);
  let results = (outs I<128>:$result);
  let assemblyFormat = "$answer attr-dict `:` qualified(type($answer)) `->` type($result)";
}

def TTNG_CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [Pure, TTNG_OfBlackwell]> {
  let summary = "whether there is a program whose work is to be done";
  let arguments = (ins I<128>:$answer);
  let results = (outs I1:$result);
  let assemblyFormat = "$answer attr-dict `:` type($answer) `->` type($result)";
}

def TTNG_CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [Pure, TTNG_OfBlackwell]> {
  let summary = "the number of that program";
  let arguments = (ins I<128>:$answer, TT_ProgramDimAttr:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$answer `,` $dim attr-dict `:` type($answer) `->` type($result)";
}

#endif
