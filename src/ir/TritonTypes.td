// Types of the dialect tt and the constraints that its operations use.
#ifndef TRITON_IR_TYPES_TD
#define TRITON_IR_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "ir/TritonDialect.td"

class TT_TypeDef<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Triton_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TT_Pointer : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to a scalar, a pointer or a tensor";
  let description = [{
    `!tt.ptr<f32>` points to one value; a tensor of these addresses a scattered set. `!tt.ptr<tensor<64x32xf16>>` is a
    block pointer: a rectangle within a strided array, made by `tt.make_tensor_ptr`. The address space is printed only
    when it is not 1, the global one.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, "int":$addressSpace);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
      return $_get(pointeeType.getContext(), pointeeType, addressSpace);
    }]>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDesc : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "descriptor of a strided array in memory, accessed in blocks";
  let description = [{
    `!tt.tensordesc<tensor<64x32xf16>>` describes an array of f16 that is read and written in blocks of 64 x 32. With
    `si32` or `ui32` elements it also fixes the sign of a reduction. `!tt.tensordesc<64x32xf16>`, as Triton 3.9 writes it,
    is read as the same type.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The block as a value: the block type with signless elements.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
}

// Constraints. A name in "Like" admits a scalar or a tensor of such.

def TT_Tensor : RankedTensorOf<[AnyType]>;

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                            "floating-point">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;

def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;

def TT_I32Like : AnyTypeOf<[I32, RankedTensorOf<[I32]>]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;

class TT_PtrOf<list<Type> pointees, string description>
    : DialectType<Triton_Dialect,
                  And<[CPred<"::mlir::isa<::triton::tt::PointerType>($_self)">,
                       Concat<"[](::mlir::Type pointee) { return ",
                              SubstLeaves<"$_self", "pointee", AnyTypeOf<pointees>.predicate>,
                              "; }(::mlir::cast<::triton::tt::PointerType>($_self).getPointeeType())">]>,
                  description, "::triton::tt::PointerType">;

def TT_Ptr : TT_PtrOf<[AnyType], "pointer">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor], "pointer or tensor of pointers">;
def TT_TensorPtr : TT_PtrOf<[TT_Tensor], "pointer to a tensor">;

def TT_TensorDescType
    : DialectType<Triton_Dialect, CPred<"::mlir::isa<::triton::tt::TensorDescType>($_self)">, "tensor descriptor",
                  "::triton::tt::TensorDescType">;

def TT_FloatOrIntLike : AnyTypeOf<[TT_FloatLike, TT_IntLike]>;
def TT_Type : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TT_TensorPtr, TT_TensorDescType]>;

#endif
