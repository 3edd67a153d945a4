// Operations that compute each element of the result from the same element of the operands.
#ifndef TRITON_IR_ELEMENTWISE_OPS_TD
#define TRITON_IR_ELEMENTWISE_OPS_TD

include "ir/TritonOpBase.td"

def TT_IntToPtrOp : TT_ElementwiseOp<"int_to_ptr"> {
  let summary = "64-bit integer as a pointer";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_PtrToIntOp : TT_ElementwiseOp<"ptr_to_int"> {
  let summary = "address of a pointer as a 64-bit integer";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_BitcastOp : TT_ElementwiseOp<"bitcast"> {
  let summary = "the same bits as another type of the same width";
  let description = "Also casts between pointers to different element types. Pointers and numbers do not mix.";
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp"> {
  let summary = "conversion between floating-point types, one of them usually of 8 bits";
  let description = "A conversion to fewer bits states its rounding, one to as many may, one to more must not.";
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_ClampFOp : TT_ElementwiseOp<"clampf", [SameOperandsAndResultType]> {
  let summary = "clamp between two bounds";
  let description = [{
    `propagateNan` says whether a NaN in `x` gives NaN (`all`) or a bound (`none`). The bounds must not be NaN, and the
    lower must not exceed the upper.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}

def TT_PreciseSqrtOp : TT_ElementwiseOp<"precise_sqrt", [SameOperandsAndResultType]> {
  let summary = "correctly rounded square root";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_ElementwiseOp<"precise_divf", [SameOperandsAndResultType]> {
  let summary = "correctly rounded division";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_ElementwiseOp<"mulhiui", [SameOperandsAndResultType, Commutative]> {
  let summary = "upper half of the product of two unsigned integers";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

def TT_AddPtrOp : TT_ElementwiseOp<"addptr", [AllTypesMatch<["result", "ptr"]>]> {
  let summary = "pointer moved by a number of elements";
  let description = [{
    The offset is signed and counts elements of the pointee type.

    ```mlir
    %p = tt.addptr %base, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [
    Elementwise, ConditionallySpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call of an external function for each element";
  let description = "Operands and result have one shape; without operands the result is a scalar.";
  let arguments = (ins Variadic<TT_Type>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability();
  }];
  let hasVerifier = 1;
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
    Elementwise, ConditionallySpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "assembly of the target applied to groups of elements";
  let description = [{
    Each execution of the text takes `packed_element` elements of every operand, packed into registers, and gives as
    many elements of every result. Operands and results have one shape; without operands the results are scalars.
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_Type>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability();
  }];
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [
    Elementwise, SameOperandsAndResultShape, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "scalar code run for each element or group of elements";
  let description = [{
    The region receives `pack` scalars of each operand, operand by operand, and yields `pack` scalars of each result. It
    may branch.
  }];
  let arguments = (ins Variadic<TT_Type>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Type>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
    Pure, HasParent<"MapElementwiseOp">, ReturnLike, Terminator]> {
  let summary = "results of the scalar code of map_elementwise";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif
