// Operations of the dialect ttg.
#ifndef TRITON_GPU_IR_OPS_TD
#define TRITON_GPU_IR_OPS_TD

include "ir/TritonOpBase.td"
include "gpu/ir/GPUOpInterfaces.td"
include "gpu/ir/TritonGPUAttrs.td"
include "gpu/ir/TritonGPUTypes.td"

class TTG_Op<string mnemonic, list<Trait> traits = [], list<string> sharedMemoryMethods = []>
    : Op<TritonGPU_Dialect, mnemonic,
         !listconcat([DeclareOpInterfaceMethods<TTG_SharedMemoryOpInterface, sharedMemoryMethods>], traits)>;

/// An operation between the tensors of which a layout of its own stands for each.
defvar TTG_OwnLayouts = DeclareOpInterfaceMethods<TTG_LayoutOpInterface, ["verifyLayouts"]>;

def TTG_SharedMemoryResource : Resource<"::triton::ttg::SharedMemory">;

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType, TT_SameElements, TTG_OwnLayouts]> {
  let summary = "the same tensor, distributed otherwise";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_SetAutoLayoutOp : TTG_Op<"set_auto_layout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType, TT_SameElements, TTG_OwnLayouts]> {
  let summary = "the same tensor, whose layout is that of the result";
  let description = [{
    `tritongpu-resolve-layouts` infers the layouts of `#ttg.auto` from these operations, and removes them.

    ```mlir
    %y = ttg.set_auto_layout %x : tensor<64xi32, #ttg.auto> -> tensor<64xi32, #blocked>
    ```
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_InlineAsmOp : TTG_Op<"inline_asm", [
    ConditionallySpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TTG_OwnLayouts]> {
  let summary = "assembly of the target, once for all registers of a thread";
  let description = [{
    Operands are all registers of a block, in their order, a scalar, or the address of a buffer in 32 bits; results are all
    registers of a block, or a scalar.

    ```mlir
    %y = ttg.inline_asm "add.s32 $0, $1, 1;" {constraints = "=r,r", pure = true} %x : (i32) -> i32
    ```
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, Variadic<AnyType>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^)? `:` functional-type($args, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability();
  }];
}

def TTG_TakeColumnsOp : TTG_Op<"take_columns", [Pure, TTG_OwnLayouts]> {
  let summary = "the columns of a matrix from number `first` on";
  let description = [{
    Each thread keeps those of its elements that lie there: which columns these are is a matter of registers.

    ```mlir
    %y = ttg.take_columns %x from 64 : tensor<64x128xf16, #mma> -> tensor<64x64xf16, #linear>
    ```
  }];
  let arguments = (ins TT_Tensor:$src, ConfinedAttr<I32Attr, [IntNonNegative]>:$first);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `from` $first attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TTG_OwnLayouts]> {
  let summary = "a buffer in shared memory";
  let description = [{
    With an operand the buffer holds that tensor. After allocation `allocation.offset` says where it lies.

    ```mlir
    %b = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
    ```
  }];
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTG_MemDescValue:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let summary = "the end of a buffer's life";
  let arguments = (ins Arg<TTG_MemDescValue, "", [MemFree<TTG_SharedMemoryResource>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load", [
    DeclareOpInterfaceMethods<TTG_PredicableOpInterface>, TTG_OwnLayouts]> {
  let summary = "read a buffer into a distributed tensor";
  let arguments = (ins Arg<TTG_MemDescValue, "", [MemRead<TTG_SharedMemoryResource>]>:$src,
                       Optional<TTG_TokenValue>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalGatherOp : TTG_Op<"local_gather", [TTG_OwnLayouts]> {
  let summary = "read elements of a buffer at indices along one dimension";
  let description = [{
    The counterpart of `tt.gather` for a tile that is in shared memory. Indices beyond the dimension have no meaning.

    ```mlir
    %y = ttg.local_gather %b[%i] {axis = 0 : i32}
        : !ttg.memdesc<16x64xf32, #shared, #ttg.shared_memory>, tensor<1x64xi32, #blocked> -> tensor<1x64xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDescValue, "", [MemRead<TTG_SharedMemoryResource>]>:$src, TT_IntTensor:$indices,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalScatterOp : TTG_Op<"local_scatter", [TTG_OwnLayouts]> {
  let summary = "write elements of a buffer at indices along one dimension";
  let description = [{
    The counterpart of `ttg.local_gather`. Of several values for one element, any one stays. Indices beyond the dimension
    have no meaning.

    ```mlir
    ttg.local_scatter %b[%i], %v {axis = 0 : i32} : !ttg.memdesc<16x64xf32, #shared, #ttg.shared_memory, mutable>,
        tensor<1x64xi32, #blocked>, tensor<1x64xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TTG_MemDescValue, "", [MemWrite<TTG_SharedMemoryResource>]>:$dst, TT_IntTensor:$indices,
                       TT_Tensor:$values, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values attr-dict `:` qualified(type($dst)) `,` type($indices) `,` type($values)
  }];
  let hasVerifier = 1;
}

def TTG_LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw", [
    TTG_OwnLayouts, AllTypesMatch<["values", "result"]>,
    OptionalTypesMatchWith<"mask type matches value type", "values", "mask", "::triton::tt::getI1SameShape($_self)">]> {
  let summary = "change elements of a buffer at indices along one dimension, each atomically, giving the old values";
  let description = [{
    As `ttg.local_scatter`, but each value is combined with what its element holds. It orders no other access.

    ```mlir
    %old = ttg.local_atomic_scatter_rmw add, %b[%i], %v, %mask {axis = 0 : i32}
        : (!ttg.memdesc<64xi32, #shared, #ttg.shared_memory, mutable>, tensor<256xi32, #blocked>,
           tensor<256xi32, #blocked>, tensor<256xi1, #blocked>) -> tensor<256xi32, #blocked>
    ```
  }];
  let arguments = (ins TT_AtomicRMWAttr:$atomic_rmw_op,
                       Arg<TTG_MemDescValue, "", [MemRead<TTG_SharedMemoryResource>,
                                                  MemWrite<TTG_SharedMemoryResource>]>:$dst,
                       TT_IntTensor:$indices, TT_Tensor:$values, Optional<TT_BoolTensor>:$mask,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store", [TTG_OwnLayouts]> {
  let summary = "write a distributed tensor to a buffer";
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDescValue, "", [MemWrite<TTG_SharedMemoryResource>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def TTG_MemDescIndexOp : TTG_Op<"memdesc_index", [Pure]> {
  let summary = "the view of element `index` of the first dimension";
  let arguments = (ins TTG_AnyMemDescValue:$src, I32:$index);
  let results = (outs TTG_AnyMemDescValue:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_AdvanceSlotOp : TTG_Op<"advance_slot", [Pure]> {
  let summary = "the slot after `slot` in a ring of `slots`";
  let description = [{
    ```mlir
    %next = ttg.advance_slot %slot of 3      // 0, 1, 2, 0, ...
    ```
  }];
  let arguments = (ins I32:$slot, ConfinedAttr<I32Attr, [IntPositive]>:$slots);
  let results = (outs I32:$next);
  let assemblyFormat = "$slot `of` $slots attr-dict";
  let hasFolder = 1;
}

def TTG_MemDescTransOp : TTG_Op<"memdesc_trans", [Pure]> {
  let summary = "the view with its dimensions permuted";
  let arguments = (ins TTG_MemDescValue:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDescValue:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescSubsliceOp : TTG_Op<"memdesc_subslice", [Pure]> {
  let summary = "the view of a part of a buffer, from `offsets` on";
  let description = [{
    The part starts at multiples of its extents. If the address of an element is not the sum of the start's and of the
    element's own, the part cuts a pattern by which elements are swizzled, and can only be read by `ttg.local_load`.

    ```mlir
    %part = ttg.memdesc_subslice %m[0, 16] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
        -> !ttg.memdesc<64x16xf16, #shared, #smem, mutable, 64x32>
    ```
  }];
  let arguments = (ins TTG_MemDescValue:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs TTG_MemDescValue:$result);
  let assemblyFormat = "$src `` $offsets attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let extraClassDeclaration = [{
    /// How many elements the part starts behind the view that it is a part of.
    int64_t getStart();
  }];
  let hasVerifier = 1;
}

def TTG_MemDescReshapeOp : TTG_Op<"memdesc_reshape", [Pure]> {
  let summary = "the view of the same elements, in the same order, with another shape";
  let description = [{
    The last dimension runs fastest in both shapes. The encoding of the view is that of the buffer where it describes the
    view as well, and else one of bases.

    ```mlir
    %v = ttg.memdesc_reshape %m : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
        -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTG_MemDescValue:$src);
  let results = (outs TTG_MemDescValue:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescReinterpretOp : TTG_Op<"memdesc_reinterpret", [Pure]> {
  let summary = "the same bytes as a buffer of another type";
  let arguments = (ins TTG_AnyMemDescValue:$src);
  let results = (outs TTG_AnyMemDescValue:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<TTG_PredicableOpInterface>,
    DeclareOpInterfaceMethods<TTG_LayoutOpInterface>,
    OptionalTypesMatchWith<"mask follows the pointers", "src", "mask", "::triton::tt::getI1SameShape($_self)">,
    OptionalTypesMatchWith<"other follows the pointers", "src", "other", "::triton::tt::getPointeeType($_self)">]> {
  let summary = "start to copy from global memory to a buffer";
  let description = [{
    Elements whose mask is false become `other`, or zero. The copy belongs to the group that the next
    `ttg.async_commit_group` closes.
  }];
  let arguments = (ins
    Arg<TT_PtrTensor, "", [MemRead]>:$src, Arg<TTG_MemDescValue, "", [MemWrite<TTG_SharedMemoryResource>]>:$dst,
    Optional<TT_BoolTensor>:$mask, Optional<TT_Tensor>:$other,
    DefaultValuedAttr<TT_CacheModifierAttr, "::triton::tt::CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicyAttr, "::triton::tt::EvictionPolicy::Normal">:$evict);
  let results = (outs TTG_TokenValue:$token);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^)? (`other` $other^)? `` custom<AccessHints>(attr-dict, $cache, $evict)
    `:` type($src) `->` type($dst)
  }];
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group", [
    DeclareOpInterfaceMethods<TTG_PredicableOpInterface>, MemoryEffects<[MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "close the group of copies issued so far";
  let arguments = (ins Variadic<TTG_TokenValue>:$inputTokens);
  let results = (outs TTG_TokenValue:$token);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait", [DeclareOpInterfaceMethods<TTG_PredicableOpInterface>, MemoryEffects<[MemRead<TTG_SharedMemoryResource>,
                                                           MemWrite<TTG_SharedMemoryResource>]>], ["getSynchronization"]> {
  let summary = "wait until at most `num` groups of copies have not ended";
  let arguments = (ins Variadic<TTG_TokenValue>:$inputTokens, I32Attr:$num);
  let results = (outs TTG_TokenValue:$token);
  let assemblyFormat = "($inputTokens^)? attr-dict";
}

def TTG_WarpGroupDotOp : TTG_Op<"warp_group_dot", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TTG_OwnLayouts, AllTypesMatch<["d", "c"]>]> {
  let summary = "a matrix product of groups of warps, whose units read operands from shared memory";
  let description = [{
    `d = a * b + c`, with the accumulator of a matrix encoding. `b`, and `a` unless it comes in registers, are buffers. Where
    `addsC` is given and false, `c` counts as zero.

    With `isAsync` the product goes on after the operation: until a `ttg.warp_group_dot_wait` that is for it, nothing may
    use the result but another product, as its accumulator, and nothing may write the buffers. The other attributes are
    those of `tt.dot`.

    Units read elements of 32 bits only where those along K lie side by side. Where those of the buffer `a` do not, threads
    read their parts of it, some steps along K ahead of the unit.

    ```mlir
    %d = ttg.warp_group_dot %a, %b, %c {isAsync = true}
         : !ttg.memdesc<128x64xf16, ...> * !ttg.memdesc<64x256xf16, ...> -> tensor<128x256xf32, #mma>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[TT_Tensor, TTG_MemDescValue]>:$a, TTG_MemDescValue:$b, TT_Tensor:$c, Optional<I1>:$addsC,
    DefaultValuedAttr<TT_InputPrecisionAttr, "::triton::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc, DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`if` $addsC^)? (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    qualified(type($a)) `*` qualified(type($b)) `->` type($d)
  }];
  let extraClassDeclaration = [{
    /// Whether threads read the buffer `a` and give the unit what they read.
    bool takesLeftFromThreads();
  }];
  let hasVerifier = 1;
}

def TTG_WarpGroupDotWaitOp : TTG_Op<"warp_group_dot_wait", [
    TTG_OwnLayouts, MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>],
    ["getSynchronization"]> {
  let summary = "wait until at most `pendings` asynchronous products are in flight";
  let description = [{
    The results are the operands. Products whose results pass through a wait are used behind it, so that no use moves in
    front of it. Buffers pass through in what Triton writes: they are kept so long.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[TT_Tensor, TTG_MemDescValue]>>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<AnyTypeOf<[TT_Tensor, TTG_MemDescValue]>>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($outputs)";
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "unsigned":$pendings),
      "build($_builder, $_state, inputs.getTypes(), inputs, pendings);">
  ];
  let hasVerifier = 1;
}

def TTG_FenceAsyncSharedOp : TTG_Op<"fence_async_shared", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "let units that read shared memory on their own see what this thread has written to it";
  let description = [{
    Matrix units and bulk copies access shared memory through another path than the threads do, the asynchronous proxy. With
    `ofCluster` it is also for those of other blocks.
  }];
  let arguments = (ins UnitAttr:$ofCluster);
  let assemblyFormat = "attr-dict";
}

def TTG_BarrierOp : TTG_Op<"local_barrier", [MemoryEffects<[MemRead<TTG_SharedMemoryResource>,
                                                            MemWrite<TTG_SharedMemoryResource>]>], ["getSynchronization"]> {
  let summary = "all threads of the program wait for each other";
  let description = [{
    Those of the `ttg.num-warps` warps that compute; with `allWarps` also those that only move data. One that `stays` orders
    more than accesses of buffers, for example what the program's author knows about.
  }];
  let arguments = (ins UnitAttr:$allWarps, UnitAttr:$stays);
  let assemblyFormat = "attr-dict";
}

def TTG_ClusterBarrierOp : TTG_Op<"cluster_barrier", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "all threads of all blocks that run the program wait for each other";
  let description = "One that is `relaxed` lets them see nothing of what others have written.";
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Warps that move data for others
//===----------------------------------------------------------------------===//

def TTG_IsMoverOp : TTG_Op<"is_mover", [Pure]> {
  let summary = "whether this thread is the one that moves data for the warps that compute";
  let description = [{
    Of the warps that a launch starts beyond `ttg.num-warps` (`ttg.launch-warps` counts all), the first moves data. One of
    its threads does the work: all that it executes is scalar.

    ```mlir
    %mover = ttg.is_mover
    scf.if %mover { ... } else { ... }
    ```
  }];
  let arguments = (ins UnitAttr:$anyThread);
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def TTG_InWarpsOp : TTG_Op<"in_warps", [Pure]> {
  let summary = "whether this warp is one of the launch's `count` warps from number `first` on";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$first, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let results = (outs I1:$result);
  let assemblyFormat = "$first `,` $count attr-dict";
}

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [TTG_OwnLayouts, RecursiveMemoryEffects]> {
  let summary = "groups of warps that do different things";
  let description = [{
    The warps of the program run the first region, whose results are those of the operation. As many further warps as
    `partitionWarps` says run each of the other regions, `partitions`, at the same time. A group of warps gets as many
    registers as `partitionRegisters` says, if it does. All warps meet before and afterwards.

    A partition may use what was computed before, except tensors: each of its warps computes it, or it is a buffer.
    `tritongpu-outline-partitions` gives each partition a function of its own.

    ```mlir
    ttg.warp_specialize {
      ...
      ttg.warp_yield
    } partitions {
      ...
      ttg.warp_yield
    } {partitionRegisters = array<i32>, partitionWarps = array<i32: 4>}
    ```

    Triton's text, in which partitions name what they use, `ttg.warp_specialize(%x) attributes {...} default {...}
    partition0(%y: type) num_warps(4) {...} : (type) -> ()`, is read as well.
  }];
  let arguments = (ins DenseI32ArrayAttr:$partitionWarps, DenseI32ArrayAttr:$partitionRegisters);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$defaultRegion, VariadicRegion<SizedRegion<1>>:$partitions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">,
                                            TTG_OwnLayouts]> {
  let summary = "the end of what a group of warps does";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def TTG_SetRegistersOp : TTG_Op<"set_registers", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "each thread of this group of warps has so many registers from here on";
  let description = [{
    A group that `raises` its number waits until others have given up as many.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$count, UnitAttr:$raises);
  let assemblyFormat = "$count attr-dict";
}

def TTG_WaitTurnOp : TTG_Op<"wait_turn", [TTG_OwnLayouts,
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "this group of four warps waits for its turn";
  let description = [{
    Groups of the warps that compute take turns: each hands the turn to the next one, the last to the first. What `after`
    depends on is computed before the group waits.
  }];
  let arguments = (ins Optional<TT_Tensor>:$after);
  let assemblyFormat = "(`after` $after^)? attr-dict (`:` type($after)^)?";
}

def TTG_PassTurnOp : TTG_Op<"pass_turn", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "this group of four warps hands the turn to the next one";
  let description = [{
    With `begins`, the first group gets the turn, from the last one; the others do nothing.
  }];
  let arguments = (ins UnitAttr:$begins);
  let assemblyFormat = "attr-dict";
}

def TTG_InitBarrierOp : TTG_Op<"init_barrier", [
    MemoryEffects<[MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "make barriers of all elements of a buffer";
  let description = [{
    A phase of such a barrier ends when `count` threads have arrived and all bytes that were announced have come. One
    thread makes them; a `ttg.local_barrier {allWarps}` stands between this and their first use. The phases of `manual`
    ones are counted by the program's author, so that the rules of rings say nothing about them.
  }];
  let arguments = (ins TTG_MemDescValue:$barriers, ConfinedAttr<I32Attr, [IntPositive]>:$count, UnitAttr:$manual);
  let assemblyFormat = "$barriers attr-dict `:` qualified(type($barriers))";
}

def TTG_ArriveBarrierOp : TTG_Op<"arrive_barrier", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "one thread of each warp arrives at a barrier";
  let description = [{
    The warp has done before what stands before. It no longer reads `released`, buffers that others write next. With
    `allBlocks` it arrives at this barrier of each block that runs the program. With `count` only the first thread of the
    program arrives, so many times, for all that have met before.

    With `fromBlocks` the barrier of block c is the one at which block c & `fromBlocks` arrives; with `atLeader` those of
    a pair of blocks arrive at the barrier of the first one.
  }];
  let arguments = (ins TTG_MemDescValue:$barrier, Optional<I1>:$condition, Variadic<TTG_MemDescValue>:$released,
                       UnitAttr:$allBlocks, OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$count,
                       OptionalAttr<I32Attr>:$fromBlocks, UnitAttr:$atLeader);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$barrier, "::mlir::Value":$condition, "::mlir::ValueRange":$released,
                   "bool":$allBlocks, "::mlir::IntegerAttr":$count), [{
      build($_builder, $_state, barrier, condition, released,
            allBlocks ? $_builder.getUnitAttr() : ::mlir::UnitAttr(), count, /*fromBlocks=*/::mlir::IntegerAttr(),
            /*atLeader=*/::mlir::UnitAttr());
    }]>
  ];
  let assemblyFormat = [{
    $barrier (`if` $condition^)? (`releases` $released^)? attr-dict `:` qualified(type($barrier))
    (`,` qualified(type($released))^)?
  }];
}

def TTG_ArriveAfterCopiesOp : TTG_Op<"arrive_after_copies", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "each thread arrives at a barrier when the copies that it has started have ended";
  let description = [{
    The program goes on at once. Only with `isCounted` these are among the arrivals for which a phase waits; else as many
    are added to those that it lacks.
  }];
  let arguments = (ins TTG_MemDescValue:$barrier, UnitAttr:$isCounted);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def TTG_InvalidateBarrierOp : TTG_Op<"invalidate_barrier", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "end the use of a buffer's elements as barriers";
  let description = "One thread does it. Afterwards the memory may hold something else, or other barriers.";
  let arguments = (ins TTG_MemDescValue:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` qualified(type($barriers))";
}

def TTG_ExpectBytesOp : TTG_Op<"expect_bytes", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "arrive at a barrier and announce bytes that copies will bring in this phase";
  let description = [{
    The one thread that comes here does it; with `byFirst` all threads come, and the first one does it. `fromBlocks` and
    `atLeader` name barriers of other blocks, as on `ttg.arrive_barrier`.
  }];
  let arguments = (ins TTG_MemDescValue:$barrier, ConfinedAttr<I32Attr, [IntNonNegative]>:$bytes, UnitAttr:$byFirst,
                       OptionalAttr<I32Attr>:$fromBlocks, UnitAttr:$atLeader);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$barrier, "uint32_t":$bytes, CArg<"bool", "false">:$byFirst), [{
      build($_builder, $_state, barrier, bytes, byFirst, /*fromBlocks=*/::mlir::IntegerAttr());
    }]>
  ];
  let assemblyFormat = "$barrier `,` $bytes attr-dict `:` qualified(type($barrier))";
}

def TTG_WaitBarrierOp : TTG_Op<"wait_barrier", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "wait until the phase of this parity has ended";
  let description = [{
    Phases count from 0. Of a barrier that was just made, the phase before that, whose parity is 1, has ended. With
    `ofCluster` the threads then see what those of other blocks had written before they arrived.
  }];
  let arguments = (ins TTG_MemDescValue:$barrier, I32:$parity, UnitAttr:$ofCluster);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` qualified(type($barrier))";
}

def TTG_AsyncMappedLoadOp : TTG_Op<"async_mapped_load", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<TTG_LayoutOpInterface, ["verifyLayouts"]>,
    MemoryEffects<[MemRead, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "start to copy a block to a buffer through a tensor map";
  let description = [{
    The one thread that comes here starts it; with `byFirst` all threads come, and the first one starts it. Elements outside
    the array become zeros, or what the map says. When the bytes are there, they are counted at `barrier`, which orders all
    that accesses the buffer afterwards. Buffers have the encoding `nvmma_shared`.

    With `allBlocks` the blocks that run the program share the work: each copies its part of the block into the buffers
    of all, where the bytes are counted. All of them execute the operation with the same indices.

    With `rows` the rows of the buffer are those of a matrix at these numbers, from the column at the one index on. Each
    warp starts the copies of the rows whose numbers it has, four neighbours at once, which all its lanes must have.
    Compute capabilities below 10.0 do not have it.

    With `multicast`, a mask of bits of a block's number, the blocks that have none of these bits copy for all that differ
    from them in these bits alone. With `atLeader` the bytes are counted at the barrier of the first block of a pair.
  }];
  let arguments = (ins TT_TensorDescType:$map, Variadic<I32>:$indices, TTG_MemDescValue:$dst, TTG_MemDescValue:$barrier,
                       UnitAttr:$allBlocks, UnitAttr:$byFirst, Optional<RankedTensorOf<[I32]>>:$rows,
                       OptionalAttr<I32Attr>:$multicast, UnitAttr:$atLeader);
  let assemblyFormat = [{
    $map `[` $indices `]` (`rows` $rows^)? `,` $dst `,` $barrier attr-dict `:` qualified(type($map)) `->`
    qualified(type($dst)) `,` qualified(type($barrier)) (`,` type($rows)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$map, "::mlir::ValueRange":$indices, "::mlir::Value":$dst, "::mlir::Value":$barrier,
                   "bool":$allBlocks, CArg<"bool", "false">:$byFirst), [{
      build($_builder, $_state, map, indices, dst, barrier, allBlocks, byFirst, /*rows=*/::mlir::Value(),
            /*multicast=*/::mlir::IntegerAttr());
    }]>
  ];
  let hasVerifier = 1;
}

def TTG_AsyncMappedStoreOp : TTG_Op<"async_mapped_store", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<TTG_LayoutOpInterface, ["verifyLayouts"]>,
    MemoryEffects<[MemWrite, MemRead<TTG_SharedMemoryResource>]>]> {
  let summary = "start to copy a buffer to a block of an array through a tensor map";
  let description = [{
    The first thread starts it, and makes it a group of copies; `ttg.async_store_wait` waits for these. Elements outside
    the array are left out. A block that begins before the array, which maps do not know, is stored by all threads, for
    which the array is given as `base`, `shape` and `strides`. Buffers have the encoding `nvmma_shared`. With `kind` an
    atomic operation combines each element with the one that is there.

    With `rows` the rows of the buffer go to those at these numbers, as for `ttg.async_mapped_load`; none is negative.
  }];
  let arguments = (ins TT_TensorDescType:$map, Variadic<I32>:$indices, TTG_MemDescValue:$src, TT_Ptr:$base,
                       Variadic<I32>:$shape, Variadic<I64>:$strides, OptionalAttr<TT_DescriptorReduceKindAttr>:$kind,
                       Optional<RankedTensorOf<[I32]>>:$rows);
  let assemblyFormat = [{
    ($kind^ `,`)? $src `,` $map `[` $indices `]` (`rows` $rows^)? `of` $base `,` `[` $shape `]` `,` `[` $strides `]`
    attr-dict `:` qualified(type($src)) `->` qualified(type($map)) `,` type($base) (`,` type($rows)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$map, "::mlir::ValueRange":$indices, "::mlir::Value":$src, "::mlir::Value":$base,
                   "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
                   "::triton::tt::DescriptorReduceKindAttr":$kind), [{
      build($_builder, $_state, map, indices, src, base, shape, strides, kind, /*rows=*/::mlir::Value());
    }]>
  ];
  let hasVerifier = 1;
}

def TTG_AsyncRemoteStoreOp : TTG_Op<"async_remote_store", [
    DeclareOpInterfaceMethods<TTG_LayoutOpInterface, ["verifyLayouts"]>,
    MemoryEffects<[MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "start to store a tensor to the buffers of the blocks that have its elements";
  let description = [{
    The bytes that come to a block are counted at its `barrier`. `wholeValue` and `wholeBuffer` are the types over all blocks
    of the cluster, which say whose buffer holds an element. `tritongpu-divide-among-blocks` sets them.
  }];
  let arguments = (ins TT_Tensor:$src, TTG_MemDescValue:$dst, TTG_MemDescValue:$barrier,
                       OptionalAttr<TypeAttr>:$wholeValue, OptionalAttr<TypeAttr>:$wholeBuffer);
  let assemblyFormat = [{
    $src `,` $dst `,` $barrier attr-dict `:` type($src) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TTG_AsyncStoreWaitOp : TTG_Op<"async_store_wait", [
    MemoryEffects<[MemRead<TTG_SharedMemoryResource>, MemWrite<TTG_SharedMemoryResource>]>]> {
  let summary = "wait until at most `pendings` groups of copies out of buffers are in flight";
  let description = [{
    The others have read `buffers`, or where none is named all that the function copies out of, and have stored what they
    read unless `onlyReads` is there. The thread that started them waits: a barrier stands between this and what another
    thread writes to the buffers.
  }];
  let arguments = (ins Variadic<TTG_MemDescValue>:$buffers, I32Attr:$pendings, UnitAttr:$onlyReads);
  let assemblyFormat = "$buffers attr-dict (`:` qualified(type($buffers))^)?";
}

include "gpu/ir/BufferOps.td"
include "gpu/ir/WideningOps.td"

#endif
