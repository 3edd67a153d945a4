// What Triton's dialect amdg has and other dialects have no operation for. The rest of it is read as operations of
// dialects ttg and ttng (ForeignDialects.cpp).
#ifndef TRITON_GPU_IR_AMDG_OPS_TD
#define TRITON_GPU_IR_AMDG_OPS_TD

include "ir/TritonOpBase.td"
include "gpu/ir/GPUOpInterfaces.td"
include "gpu/ir/TritonGPUTypes.td"

def AMDG_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::triton::ttg::amdg";
}

def AMDG_ArriveBarrierOp : Op<AMDG_Dialect, "arrive_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "each thread arrives `count` times at a barrier";
  let description = "The result is the parity of the phase before, 0 or 1.";
  let arguments = (ins TTG_MemDescValue:$barrier, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let results = (outs I32:$phase);
  let assemblyFormat = "$barrier `,` $count attr-dict `:` qualified(type($barrier)) `->` type($phase)";
}

#endif
