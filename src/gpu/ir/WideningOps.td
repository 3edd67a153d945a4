// Operations of the dialect ttg that widen elements for products with scales. TritonGPUOps.td includes it.
#ifndef TRITON_GPU_IR_WIDENING_OPS_TD
#define TRITON_GPU_IR_WIDENING_OPS_TD

/// Triton's layouts of source, scale and result differ at most in which register of a thread has an element.
class TTG_WideningOp<string mnemonic, list<Trait> traits = []> : TTG_Op<mnemonic, [Pure, TTG_OwnLayouts] # traits> {
  let results = (outs TT_FloatTensor:$result);
  let hasVerifier = 1;
}

def TTG_Fp4ToFpOp : TTG_WideningOp<"fp4_to_fp"> {
  let summary = "fp16 or bf16 of the codes of e2m1 in bytes, perhaps multiplied by scales";
  let description = [{
    Each byte has two codes, that in the low bits first, which are neighbours along `axis` in the result. Triton's
    `amdg.scaled_upcast_fp4` is the form with scales. `tritongpu-expand-foreign` makes integers and `tt.join` of it.

    ```mlir
    %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #bytes> -> tensor<64x64xbf16, #numbers>
    ```
  }];
  let arguments = (ins TT_IntTensor:$src, Optional<TT_FloatTensor>:$scale,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let assemblyFormat = [{
    $src (`scale` $scale^)? attr-dict `:` type($src) (`,` type($scale)^)? `->` type($result)
  }];
}

def TTG_Fp8ToFpOp : TTG_WideningOp<"fp8_to_fp", [SameOperandsAndResultShape]> {
  let summary = "fp16 or bf16 of 8-bit floats multiplied by scales";
  let description = [{
    Triton's `amdg.scaled_upcast_fp8`. `tritongpu-expand-foreign` makes a conversion and a product of it.

    ```mlir
    %y = ttg.fp8_to_fp %x scale %s : tensor<64x32xf8E5M2, #a>, tensor<64x32xbf16, #a> -> tensor<64x32xbf16, #a>
    ```
  }];
  let arguments = (ins TT_FloatTensor:$src, TT_FloatTensor:$scale);
  let assemblyFormat = "$src `scale` $scale attr-dict `:` type($src) `,` type($scale) `->` type($result)";
}

#endif
