// Operations that combine elements: matrix products, reductions, scans, histograms; and those that know the program.
#ifndef TRITON_IR_COMPUTE_OPS_TD
#define TRITON_IR_COMPUTE_OPS_TD

include "ir/TritonOpBase.td"

def TT_GetProgramIdOp : TT_Op<"get_program_id", [Pure]> {
  let summary = "index of this program along a dimension of the grid";
  let arguments = (ins TT_ProgramDimAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetBlockRankOp : TT_Op<"get_block_rank", [Pure]> {
  let summary = "number of this block among those that run the program";
  let description = "The attribute `tt.blocks` of the module says how many these are; without it there is one.";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TT_GetTimeOp : TT_Op<"get_time", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "nanoseconds of a clock that all programs share";
  let description = "Keeps its place among accesses of memory. All threads of a program see one time.";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TT_GetMultiprocessorIdOp : TT_Op<"get_multiprocessor_id", [Pure]> {
  let summary = "number of the multiprocessor on which the program runs";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TT_WaitForPriorLaunchOp : TT_Op<"wait_for_prior_launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until the launch that this one depends on has ended and its writes are seen";
  let assemblyFormat = "attr-dict";
}

def TT_AllowNextLaunchOp : TT_Op<"allow_next_launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let the launch that depends on this one start once all programs have come here or ended";
  let assemblyFormat = "attr-dict";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [Pure]> {
  let summary = "extent of a dimension of the grid";
  let arguments = (ins TT_ProgramDimAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_DotOp : TT_Op<"dot", [
    Pure, AllTypesMatch<["d", "c"]>]> {
  let summary = "matrix product added to an accumulator";
  let description = [{
    `d = a * b + c`, for matrices or batches of them. `inputPrecision` is how f32 operands may be rounded for matrix
    units; `maxNumImpreciseAcc` bounds the products of 8-bit operands that are summed in reduced precision (0: any).

    ```mlir
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins
    TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$c,
    DefaultValuedAttr<TT_InputPrecisionAttr, "::triton::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [
    Pure, AttrSizedOperandSegments, AllTypesMatch<["d", "c"]>]> {
  let summary = "matrix product of operands with a scale for each group of elements";
  let description = [{
    Scales are powers of two held as biased exponents in i8, or fp8 numbers. 4-bit elements are packed two to an i8,
    along K unless `lhs_k_pack` or `rhs_k_pack` is false.
  }];
  let arguments = (ins
    TT_Tensor:$a, TT_Tensor:$b, TT_Tensor:$c, Optional<TT_Tensor>:$a_scale, Optional<TT_Tensor>:$b_scale,
    TT_ScaleDotElemTypeAttr:$a_elem_type, TT_ScaleDotElemTypeAttr:$b_elem_type, BoolAttr:$fastMath,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack, DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict `:`
    type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

/// The combining region receives the elements of both sides, all of the left first, and yields the combined ones.
class TT_CombiningOp<string mnemonic, list<Trait> traits>
    : TT_Op<mnemonic, !listconcat([SameOperandsShape, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
                                   TT_InfersTypes], traits)> {
  let results = (outs Variadic<TT_Type>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  code combiningDeclarations = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    /// The one operation between arguments and terminator, when it applies to them in order; null otherwise.
    ::mlir::Operation *getSingleCombiner();
  }];
  let extraClassDeclaration = combiningDeclarations;
}

def TT_ReduceOp : TT_CombiningOp<"reduce", []> {
  let summary = "combine the elements along one dimension";
  let description = [{
    The combination must be associative. It gets elements in the order of the axis, unless it computes the same with
    both sides exchanged, or the operation has the attribute `tt.any_order`: then their order is unspecified.

    ```mlir
    %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [Pure, HasParent<"ReduceOp">, ReturnLike, Terminator]> {
  let summary = "combined elements of a reduction";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_CombiningOp<"scan", [SameOperandsAndResultShape]> {
  let summary = "running combination along one dimension";
  let description = "From the last element to the first when `reverse` is true.";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
}

def TT_ScanReturnOp : TT_Op<"scan.return", [Pure, HasParent<"ScanOp">, ReturnLike, Terminator]> {
  let summary = "combined elements of a scan";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_HistogramOp : TT_Op<"histogram", [
    Pure, OptionalTypesMatchWith<"mask shape matches", "src", "mask", "::triton::tt::getI1SameShape($_self)">]> {
  let summary = "how often each integer occurs";
  let description = "Counts the elements whose mask is true; the value is the bin. Values without a bin are undefined.";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolTensor>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src),
                            "build($_builder, $_state, result, src, ::mlir::Value());">];
  let hasVerifier = 1;
}

def TT_PrintOp : TT_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "print values, for debugging";
  let description = [{
    `isSigned` says for each operand whether its integers are signed.

    ```mlir
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<256xi32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Type>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "stop the program with a message when a condition is false for any element";
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

#endif
