// Tensor descriptors.
#ifndef TRITON_IR_DESCRIPTOR_OPS_TD
#define TRITON_IR_DESCRIPTOR_OPS_TD

include "ir/TritonOpBase.td"

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "descriptor of a strided array, accessed in blocks of the result's block type";
  let description = [{
    `padding` is what loads yield outside the array. With `roundToTF32`, which needs elements of f32, loads round to ten
    mantissa bits, to the nearest and halves to even.

    ```mlir
    %d = tt.make_tensor_descriptor %base, [%m, %n], [%n64, %one] : <f16>, <tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOptionAttr, "::triton::tt::PaddingOption::Zero">:$padding,
                       UnitAttr:$roundToTF32);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let summary = "load the block at the given offsets";
  let arguments = (ins
    TT_TensorDescType:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tt::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tt::EvictionPolicy::Normal">:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` `` custom<AccessHints>(attr-dict, $cache, $evict)
    `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_MappedLoadOp : TT_Op<"mapped_load", [MemoryEffects<[MemRead]>]> {
  let summary = "load the block at the given offsets through a tensor map that the launch makes";
  let description = [{
    `map` says what the launch computes from the arguments of the kernel, as base::LaunchExpression reads it: `base`, an
    address, `shape` and `strides`, in elements and without the last stride, which is 1. `block` is what a descriptor
    loads at once; the result may lack dimensions of extent 1. With `nan` elements outside the array are NaN, with `tf32`
    elements are rounded to ten mantissa bits. `name` is that of the argument, for messages.

    ```mlir
    %x = tt.mapped_load {base = "arg:0", block = array<i32: 64, 32>, name = "x", shape = ["arg:1", "arg:2"],
                         strides = ["arg:3"]} [%i, %j] : tensor<64x32xf16>
    ```
  }];
  let arguments = (ins DictionaryAttr:$map, Variadic<I32>:$indices);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$map `[` $indices `]` attr-dict `:` type($result)";
}

def TT_MappedStoreOp : TT_Op<"mapped_store", [MemoryEffects<[MemWrite]>, SameVariadicOperandSize]> {
  let summary = "store the block at the given offsets through a tensor map that the launch makes";
  let description = [{
    `map` is that of `tt.mapped_load`. The kernel has the address, the extents and all strides as well: maps know no blocks
    that begin before the array. The stored tensor may lack dimensions of extent 1. With `kind` an atomic operation
    combines each element with the one that is there.

    ```mlir
    tt.mapped_store %base, [%m, %n], [%s, %one] {base = "arg:0", block = array<i32: 64, 32>, name = "x",
                    shape = ["arg:1", "arg:2"], strides = ["arg:3"]} [%i, %j], %x : <f16>, tensor<64x32xf16>
    ```
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides, DictionaryAttr:$map,
                       Variadic<I32>:$indices, TT_Tensor:$src, OptionalAttr<TT_DescriptorReduceKindAttr>:$kind);
  let assemblyFormat = [{
    ($kind^ `,`)? $base `,` `[` $shape `]` `,` `[` $strides `]` $map `[` $indices `]` `,` $src attr-dict `:` type($base) `,` type($src)
  }];
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store the block at the given offsets";
  let arguments = (ins TT_TensorDescType:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combine a block atomically with the one at the given offsets";
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind, TT_TensorDescType:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead]>]> {
  let summary = "load the given rows, from one column offset on";
  let arguments = (ins TT_TensorDescType:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store rows at the given row numbers, from one column offset on";
  let arguments = (ins TT_TensorDescType:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

#endif
