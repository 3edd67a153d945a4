// Loads, stores, atomics and block pointers.
#ifndef TRITON_IR_MEMORY_OPS_TD
#define TRITON_IR_MEMORY_OPS_TD

include "ir/TritonOpBase.td"

def TT_LoadOp : TT_Op<"load", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TT_InfersTypes,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::triton::tt::getI1SameShape(::triton::tt::getPointeeType($_self))">,
    OptionalTypesMatchWith<"other type matches ptr type", "ptr", "other", "::triton::tt::getPointeeType($_self)">]> {
  let summary = "load from a tensor of pointers, a pointer or a block pointer";
  let description = [{
    An element whose mask is false is not read; it is that of `other`, or zero without one. A block pointer takes
    neither, but `boundaryCheck`, the dimensions in which it may reach outside the array, and `padding` for what is
    there.

    ```mlir
    %x = tt.load %p, %mask, %other evictionPolicy = evict_last : tensor<256x!tt.ptr<f32>>
    %y = tt.load %block {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_Type>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<TT_PaddingOptionAttr>:$padding,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tt::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tt::EvictionPolicy::Normal">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Type:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask, CArg<"::mlir::Value", "{}">:$other,
                   CArg<"::triton::tt::CacheModifier", "::triton::tt::CacheModifier::None">:$cache,
                   CArg<"::triton::tt::EvictionPolicy", "::triton::tt::EvictionPolicy::Normal">:$evict,
                   CArg<"bool", "false">:$isVolatile), [{
      build($_builder, $_state, ptr, mask, other, ::llvm::ArrayRef<int32_t>(), ::triton::tt::PaddingOptionAttr(),
            cache, evict, isVolatile);
    }]>
  ];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    `` custom<AccessHints>(attr-dict, $cache, $evict) `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_StoreOp : TT_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"value type matches ptr type", "ptr", "value", "::triton::tt::getPointeeType($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::triton::tt::getI1SameShape(::triton::tt::getPointeeType($_self))">]> {
  let summary = "store to a tensor of pointers, a pointer or a block pointer";
  let description = [{
    Elements whose mask is false, or that lie outside the array in a dimension of `boundaryCheck`, are not written.

    ```mlir
    tt.store %p, %x, %mask : tensor<256x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr, TT_Type:$value, Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tt::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tt::EvictionPolicy::Normal">:$evict);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value),
              "build($_builder, $_state, ptr, value, /*mask=*/::mlir::Value());">,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, "::mlir::Value":$mask,
                   "::triton::tt::CacheModifier":$cache,
                   CArg<"::triton::tt::EvictionPolicy", "::triton::tt::EvictionPolicy::Normal">:$evict), [{
      build($_builder, $_state, ptr, value, mask, ::llvm::ArrayRef<int32_t>(), cache, evict);
    }]>
  ];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    `` custom<AccessHints>(attr-dict, $cache, $evict) `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TT_AtomicOpInterface, AllTypesMatch<["result", "val"]>,
    TypesMatchWith<"value type matches ptr type", "ptr", "val", "::triton::tt::getPointeeType($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::triton::tt::getI1SameShape(::triton::tt::getPointeeType($_self))">]> {
  let summary = "atomic read-modify-write, giving the old value";
  let description = [{
    ```mlir
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %mask
        : (tensor<256x!tt.ptr<f32>>, tensor<256xf32>, tensor<256xi1>) -> tensor<256xf32>
    ```
  }];
  let arguments = (ins TT_AtomicRMWAttr:$atomic_rmw_op, TT_PtrLike:$ptr, TT_Type:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TT_AtomicOpInterface,
    AllTypesMatch<["result", "val", "cmp"]>,
    TypesMatchWith<"value type matches ptr type", "ptr", "val", "::triton::tt::getPointeeType($_self)">]> {
  let summary = "atomic compare-and-swap, giving the old value";
  let description = "Stores `val` where memory equals `cmp`.";
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$cmp, TT_Type:$val, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicLoadOp : TT_Op<"atomic_load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TT_AtomicOpInterface,
    TypesMatchWith<"result type matches ptr type", "ptr", "result", "::triton::tt::getPointeeType($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::triton::tt::getI1SameShape(::triton::tt::getPointeeType($_self))">]> {
  let summary = "atomic load";
  let description = [{
    An element whose mask is false is not read and undefined. An acquiring load orders what the whole program does
    after it.

    ```mlir
    %x = tt.atomic_load acquire, gpu, %p, %mask : (tensor<256x!tt.ptr<f32>>, tensor<256xi1>) -> tensor<256xf32>
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TT_AtomicOpInterface,
    TypesMatchWith<"value type matches ptr type", "ptr", "value", "::triton::tt::getPointeeType($_self)">,
    OptionalTypesMatchWith<"mask type matches ptr type", "ptr", "mask",
                           "::triton::tt::getI1SameShape(::triton::tt::getPointeeType($_self))">]> {
  let summary = "atomic store";
  let description = [{
    An element whose mask is false is not written. A releasing store orders what the whole program has done before it.

    ```mlir
    tt.atomic_store release, gpu, %p, %x : !tt.ptr<i32>
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$value, Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)";
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TT_AtomicOpInterface,
    TypesMatchWith<"value type matches ptr type", "ptr", "expected", "::triton::tt::getPointeeType($_self)">,
    TypesMatchWith<"result has the shape of ptr", "ptr", "result", "::triton::tt::getI1SameShape($_self)">]> {
  let summary = "atomic loads until memory holds the expected value";
  let description = [{
    The whole program waits until each element of memory has equalled that of `expected`, or until `timeout`
    nanoseconds have passed. Each element is loaded at least once. The result says which of them were equal; the others
    acquire nothing.

    ```mlir
    %done = tt.atomic_poll acquire, gpu, %p, %one timeout %nanoseconds : !tt.ptr<i32>, i32 -> i1
    ```
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$expected, Optional<I64>:$timeout, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:` type($ptr) `,` type($expected) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize,
    TypesMatchWith<"base points to the element type of the block", "result", "base",
                   "::triton::tt::getElementPointerType($_self)">]> {
  let summary = "block pointer: a block at an offset within a strided array";
  let description = [{
    `order` lists the dimensions from the fastest varying one; it is a hint.

    ```mlir
    %p = tt.make_tensor_ptr %base, [%m, %n], [%n, %one], [%i, %j] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
                   "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int32_t>":$blockShape,
                   "::llvm::ArrayRef<int32_t>":$order)>
  ];
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "block pointer moved by a number of elements in each dimension";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
