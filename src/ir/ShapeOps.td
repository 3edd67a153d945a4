// Operations that make tensors or rearrange their elements.
#ifndef TRITON_IR_SHAPE_OPS_TD
#define TRITON_IR_SHAPE_OPS_TD

include "ir/TritonOpBase.td"

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "the integers from start to end, exclusive";
  let description = [{
    ```mlir
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_SplatOp : TT_Op<"splat", [Pure]> {
  let summary = "tensor with one value everywhere";
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// The encoding of a result may be written otherwise than it is inferred.
class TT_EncodingInferringOp<string mnemonic, list<Trait> traits> : TT_Op<mnemonic, [Pure, TT_InfersTypes] # traits> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return areTypesEquivalent(inferred, actual);
    }
  }];
}

def TT_UnsplatOp : TT_Op<"unsplat", [Pure, TT_InfersTypes]> {
  let summary = "the value of a tensor of one element";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_ExpandDimsOp : TT_EncodingInferringOp<"expand_dims", [SameOperandsAndResultElementType]> {
  let summary = "insert a dimension of extent 1 before the dimension `axis`";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the same elements in another shape";
  let description = [{
    Elements keep their row-major order unless `allow_reorder` is given. `efficient_layout` asks later stages to keep
    the layout that was chosen for the result.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let summary = "repeat along the dimensions of extent 1";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_CatOp : TT_Op<"cat", [Pure, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "the elements of two tensors, in any order";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_JoinOp : TT_EncodingInferringOp<"join", [SameTypeOperands]> {
  let summary = "join two tensors along a new last dimension of extent 2";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def TT_SplitOp : TT_EncodingInferringOp<"split", [AllTypesMatch<["outLHS", "outRHS"]>]> {
  let summary = "split along the last dimension, whose extent is 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasFolder = 1;
}

def TT_TransOp : TT_EncodingInferringOp<"trans", [SameOperandsAndResultElementType]> {
  let summary = "permute the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the operand.

    ```mlir
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure, TT_InfersTypes]> {
  let summary = "pick elements along one dimension by index";
  let description = [{
    `result[i, j] = src[indices[i, j], j]` for axis 0. `efficient_layout` is as for `tt.reshape`.
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
