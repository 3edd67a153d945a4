// The passes that decide what the iterations of a loop do beside one another. Each has a source file and a lit test
// (test/) of its name.
#ifndef TRITON_GPU_LOOPS_PASSES_TD
#define TRITON_GPU_LOOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonGPUCombineTensorSelectAndIf : Pass<"tritongpu-combine-tensor-select-and-if", "::mlir::ModuleOp"> {
  let summary = "replace a selection by the result of a branch on the same condition";
  let description = [{
    A selection between tensors by a scalar condition costs an instruction for each register. If a branch on the same
    condition follows, the branch can make the choice at no cost.

    ```mlir
    %s = arith.select %c, %x, %y : tensor<512xf32, #blocked>
    scf.if %c {
      // ...
    }
    ```
    becomes
    ```mlir
    %s = scf.if %c -> tensor<512xf32, #blocked> {
      // ...
      scf.yield %x
    } else {
      scf.yield %y
    }
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect"];
}

def TritonGPUShareGatheredTiles : Pass<"tritongpu-share-gathered-tiles", "::mlir::ModuleOp"> {
  let summary = "keep tiles that loops gather from in shared memory";
  let description = [{
    A gather brings its whole source to shared memory and waits twice for all threads. Where a loop does not change the
    source, it goes to shared memory once, before the outermost such loop, and threads read what they need in each
    iteration.

    ```mlir
    scf.for %i = %lb to %ub step %one {
      %row = tt.gather %x[%i] {axis = 0 : i32}
    }
    ```
    becomes
    ```mlir
    %b = ttg.local_alloc %x
    scf.for %i = %lb to %ub step %one {
      %row = ttg.local_gather %b[%i] {axis = 0 : i32}
    }
    ```

    Tiles are shared as long as they take no more than `Budget::bytesOfSharedTiles` together.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUFlattenLoops : Pass<"tritongpu-flatten-loops", "::mlir::ModuleOp"> {
  let summary = "make one loop of a loop with `tt.flatten` and the one inside it";
  let description = [{
    The pipeline of an inner loop fills and drains in each iteration of the outer one. As one loop, such as that of a
    persistent kernel, both have one pipeline: the first tiles of the next outer iteration are on their way while the
    results of this one are stored. The body of the inner loop runs in every iteration; what stands before and after it is
    in branches.

    The pass applies where a loop holds exactly one other, whose number of iterations does not change, and where loads of
    the single loop can run ahead. `tt.flatten` (`tl.range(flatten=True)`) is taken as the statement that no iteration
    loads through one argument of the kernel what an earlier one stored through another: without it, two arguments may be
    one array. Loads through an argument that the loop also stores through keep their place. A warning says why a loop is
    left as it is.

    ```mlir
    scf.for %i = %lower to %upper step %step {
      %p = ... %i                                 // addresses of a tile
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) {
        // %d, from %p and %k
        scf.yield %d
      }
      tt.store ... %r
    } {tt.flatten}
    ```
    becomes, where both loops have iterations (elsewhere the outer one stays, without the inner one),
    ```mlir
    scf.for unsigned %flat = %c0 to %all step %c1 iter_args(%k = %c0, %i = %lower, %acc = %zero, %q = poison) {
      %p = scf.if %k == 0 { ... %i } else { %q }
      // %d, from %p and %k
      %r = scf.if %k == %n - 1 { tt.store ... %d; yield %zero } else { yield %d }
      %next:2 = scf.if %k == %n - 1 { yield %c0, %i + %step } else { yield %k + 1, %i }
      scf.yield %next#0, %next#1, %r, %p
    } {tt.disjoint_arguments}
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once, where a loop does not say it">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def TritonGPUStageLoads : Pass<"tritongpu-stage-loads", "::mlir::ModuleOp"> {
  let summary = "bring what products need after computations in registers through shared memory";
  let description = [{
    Loads run ahead as copies to shared memory. What a loop loads and converts or scales before a product uses it, such as
    weights of 4 bits, goes through a buffer of its own, or through the one from which a product reads the same load.
    Buffers for which shared memory has no room beside those of other loads are left out. Where copies may arrange a tile
    as they like, its buffer has a swizzle, and conversions of the load read it in their own layouts. A tile whose neighbours
    are one element of memory, such as zero points of groups, is left out: a copy would bring each of them, while one
    register holds them all until the next iteration.

    ```mlir
    %w = tt.load %p : tensor<64x64x!tt.ptr<i32>, #blocked>
    %x = arith.shrsi %w, %c
    ```
    becomes
    ```mlir
    %l = tt.load %p : tensor<64x64x!tt.ptr<i32>, #blocked>
    %b = ttg.local_alloc %l
    %w = ttg.local_load %b
    %x = arith.shrsi %w, %c
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUAssignLatencies : Pass<"tritongpu-assign-latencies", "::mlir::ModuleOp"> {
  let summary = "decide which loads are asked for iterations ahead";
  let description = [{
    A load whose tile goes to a buffer, from where products read it, gets `tt.latency`: by how many iterations it runs
    ahead. That is one less than `num-stages`, or `tt.num_stages` on the loop, and less where shared memory is short, on
    machines with asynchronous copies. Where the loop is known to have no more iterations than that, all loads come before
    it, and each has its slot. Programs of fewer than four warps keep to a share of it, so that each of the four
    schedulers of a multiprocessor has a warp. A load may not run ahead when its addresses depend on products, or when
    the loop writes what may be the memory that it reads: arguments of a kernel may point to one array unless they have
    the attribute `tt.noalias`, the kernel says that the two are disjoint, or the loop has `tt.disjoint_arguments`. A
    `gpu.barrier` orders the load after all that the kernel writes, and after anything in a kernel with atomics, volatile
    loads or very many accesses, and in a function that kernels call. Loops around loops with such loads are looked at only when `tt.num_stages` asks for it.

    If a scheduler has one warp at most, and a multiprocessor runs more programs without the slot that the round before has
    read, or if shared memory holds a single slot, the loop gets `tt.refills_slots`: its copies come after the reads of
    their round. That is not done where a product goes on in the next round. With more than two stages, and one product that
    warp groups wait for, the warps of a scheduler do not count: copies come at the end of the round anyway, after the wait.

    What products need, but no copy can bring because neighbouring addresses are unknown, runs ahead by one iteration in
    registers: few of them beside copies, up to a quarter of a thread's registers in loops without.

    In a loop without products, such as one that sums columns, loads run up to four iterations ahead in registers where
    the loop holds little else, unless `num-stages` is 1.

    `tl.range` options that have no effect on a loop are named by a warning.

    ```mlir
    scf.for ... {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %x
      %a = ttg.local_load %b
      %d = tt.dot %a, %y, %c
      %q = tt.addptr %p, %k
    ```
    becomes
    ```mlir
    scf.for ... {
      %x = tt.load %p {tt.latency = 2 : i32} : tensor<32x32x!tt.ptr<f16>, #blocked>
      // ...
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3", "iterations in flight at once">,
    Option<"sharedCapacity", "shared-capacity", "uint64_t", "0", "bytes of shared memory that a program may use; 0: all that the machine has">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUScheduleLoops : Pass<"tritongpu-schedule-loops", "::mlir::ModuleOp"> {
  let summary = "give the operations of loops stages and clusters";
  let description = [{
    Each operation of a loop with `tt.latency` on loads gets a stage, `loop.stage`, and a place among those of its round,
    `loop.cluster`. A round of the pipelined loop runs an operation of stage s for the iteration that is
    `tt.scheduled_max_stage` - s after that of the last stage; clusters follow one another in ascending order, and inside a
    cluster operations stand as in the body. A load runs as many stages before the last as its latency says, its addresses
    with it, everything else in the last stage. Addresses that later stages need as well are computed in both. In a loop
    with `tt.refills_slots` the copies come after the last read of what copies brought, where the fewest registers hold data.
    If a product reads some of it, and its result goes into factors of later ones, the slots that are free then are filled
    there, beside the later products.

    ```mlir
    scf.for ... iter_args(%p = ...) {
      %x = tt.load %p {tt.latency = 2 : i32}
      %b = ttg.local_alloc %x
      %a = ttg.local_load %b
      %d = tt.dot %a, %y, %c
      %q = tt.addptr %p, %k
      scf.yield %d, %q
    }
    ```
    becomes
    ```mlir
    scf.for ... iter_args(%p = ...) {
      %x = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32}
      %b = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %a = ttg.local_load %b {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %d = tt.dot %a, %y, %c {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %q = tt.addptr %p, %k {loop.cluster = 1 : i32, loop.stage = 0 : i32}
      scf.yield %d, %q
    } {tt.scheduled_max_stage = 2 : i32}
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUPipeline : Pass<"tritongpu-pipeline", "::mlir::ModuleOp"> {
  let summary = "expand scheduled loops";
  let description = [{
    Loops with `tt.scheduled_max_stage` are expanded by the stages and clusters of their operations, whoever wrote them:
    the first iterations run their early stages before the loop, and each round of the loop runs every stage for another
    iteration. Operands that come too late and accesses that would change places are errors, found before anything changes.

    Early stages are masked for iterations that do not exist, by ttg's PredicableOpInterface: that adds no code, and the
    last stage, where products are, never runs in vain. If an operation of an early stage cannot be masked, the last
    rounds are peeled: they stand behind the loop without the stages that have no iteration left.

    A value that the loop only passes on, from one carried value to another, is as early as what uses it.

    A load whose buffer is of a later stage becomes an asynchronous copy to a ring of buffers with a slot for each stage
    from the copy to the last use. The slot is a value that `ttg.advance_slot` counts; the token of the copy goes through
    the group that is closed and the wait to what reads the slot. One wait for each round, and the barrier that it needs,
    also shows that the slot to fill is free: the round before has read it. With `tt.refills_slots` a ring has one slot less,
    and a barrier shows that the round itself has read it. There, each turn of copies in a round has its group, and a wait
    before the first read.

    ```mlir
    scf.for ... {
      %x = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32}
      %b = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      %a = ttg.local_load %b {loop.cluster = 0 : i32, loop.stage = 2 : i32}
      tt.dot ... %a
    } {tt.scheduled_max_stage = 2 : i32}
    ```
    becomes
    ```mlir
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x...>
    // copies of the first iterations
    scf.for ... iter_args(%filled = ..., %used = ..., %older = %group0, %newer = %group1) {
      %done = ttg.async_wait %older {num = 1 : i32}
      %u = ttg.advance_slot %used of 3
      %b = ttg.memdesc_index %ring[%u]
      %a = ttg.local_load %b token %done
      tt.dot ... %a
      %f = ttg.advance_slot %filled of 3
      %slot = ttg.memdesc_index %ring[%f]
      %copy = ttg.async_copy_global_to_local %q, %slot mask %mask
      %group = ttg.async_commit_group tokens %copy
      scf.yield %f, %u, %newer, %group
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUDoubleBufferOperands : Pass<"tritongpu-double-buffer-operands", "::mlir::ModuleOp"> {
  let summary = "give computed operands of products two buffers";
  let description = [{
    Matrix units read the right operand from shared memory. One that the loop computes, such as weights that it converts, has
    a buffer that each iteration fills, so that the product must be over before the next iteration computes its operand. With
    two buffers in turn the product runs beside that. Left out where shared memory has no room.

    On machines that do not copy asynchronously, all operands pass through buffers that an iteration fills from registers.
    Both operands of a product get buffers at the same time, and two in turn where there is room: then no thread waits for
    those that still read what the iteration before has written. The last iteration of a loop that loads ahead follows it,
    and has both buffers at the same time too.

    ```mlir
    scf.for ... {
      %b = ttg.local_alloc %x
      %d = ttg.warp_group_dot %a, %b, %sum
    ```
    becomes
    ```mlir
    %ring = ttg.local_alloc
    scf.for ... iter_args(..., %slot = %c0) {
      %v = ttg.memdesc_index %ring[%slot]
      ttg.local_store %x, %v
      %b = ttg.memdesc_index %ring[%slot]
      %d = ttg.warp_group_dot %a, %b, %sum
      %next = ttg.advance_slot %slot of 2
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUMoveInvariants : Pass<"tritongpu-move-invariants", "::mlir::ModuleOp"> {
  let summary = "move what is the same in all iterations out of loops";
  let description = [{
    Operations without memory effects move as in triton-licm. A loop whose `llvm.loop_annotation` disables the motion
    (`disable_licm` of the language) is left alone; the branch back to its start keeps the annotation, so that LLVM
    leaves the loop alone, too.
  }];
}

def TritonGPURotateLoops : Pass<"tritongpu-rotate-loops", "::mlir::ModuleOp"> {
  let summary = "issue the first product of the next iteration before the last of this one";
  let description = [{
    In a loop such as attention's, each iteration multiplies, computes exponentials of the product, and multiplies these
    with something else, to add it to a sum. The matrix units rest during the exponentials. This pass takes the iteration
    apart before its last product: the rotated loop issues the first product of an iteration, then the last one of the
    iteration before, and computes exponentials while that one runs. What stands before the last product in the first
    iteration, and from there on in the last, stands before and behind the loop.

    ```mlir
    %r = scf.for %i = %lb to %ub step %one iter_args(%sum = %zeros) {
      %s = ttg.warp_group_dot %q, %k[%i], %zero
      %p = exponentials of %s
      %o = ttg.warp_group_dot %p, %v[%i], %sum
      scf.yield %o
    }
    ```
    becomes
    ```mlir
    %r = scf.if %lb < %ub {
      %s = ttg.warp_group_dot %q, %k[%lb], %zero
      %p = exponentials of %s
      %l:3 = scf.for %i = %lb + 1 to %ub iter_args(%sum = %zeros, %before = %p, %j = %lb) {
        %s2 = ttg.warp_group_dot %q, %k[%i], %zero {isAsync = true}
        %o = ttg.warp_group_dot %before, %v[%j], %sum {isAsync = true}
        %w = ttg.warp_group_dot_wait %s2 {pendings = 1}
        %p2 = exponentials of %w
        %d = ttg.warp_group_dot_wait %o {pendings = 0}
        scf.yield %d, %p2, %i
      }
      %o = ttg.warp_group_dot %l#1, %v[%l#2], %l#0
      scf.yield %o
    } else {
      scf.yield %zeros
    }
    ```

    A loop that has two iterations at most, such as the one over the diagonal of causal attention, stays as it is.

    The buffers must be slots of rings that others fill and wait for (`ttg.wait_barrier`, `ttg.arrive_barrier`).
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TritonGPUHoistDots : Pass<"tritongpu-hoist-dots", "::mlir::ModuleOp"> {
  let summary = "issue products whose operands are ready after the product before";
  let description = [{
    A product of buffers that wait for nothing moves up behind the first product that something between the two needs, such
    as the second product of attention's backward loops. The matrix units compute it while others work with the result of
    the first. Left out where the products of the loop take more than 192 registers of a thread.

    ```mlir
    %s = ttg.warp_group_dot %q, %k, %zero
    %p = math.exp2 %s
    %d = ttg.warp_group_dot %o, %v, %zero
    ```
    becomes
    ```mlir
    %s = ttg.warp_group_dot %q, %k, %zero
    %d = ttg.warp_group_dot %o, %v, %zero
    %p = math.exp2 %s
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUSplitDots : Pass<"tritongpu-split-dots", "::mlir::ModuleOp"> {
  let summary = "divide products whose operand A an iteration computes";
  let description = [{
    Where an iteration computes operand A in registers out of what it loads, such as weights that it converts, the unit has
    nothing to do until all of A is there. Two products, each of half of K, let it multiply one half while the program
    computes the other one. Left out where the loop has other products: those have work for the unit then.

    ```mlir
    %d = ttg.warp_group_dot %a, %b, %c : tensor<64x128xf16, #a> * !ttg.memdesc<128x64xf16, ...> -> tensor<64x64xf32, #mma>
    ```
    becomes
    ```mlir
    %b0 = ttg.memdesc_subslice %b[0, 0]
    %b1 = ttg.memdesc_subslice %b[64, 0]
    %a0 = ttg.take_columns %a from 0
    %a1 = ttg.take_columns %a from 64
    %d0 = ttg.warp_group_dot %a0, %b0, %c
    %d = ttg.warp_group_dot %a1, %b1, %d0
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUOverlapDots : Pass<"tritongpu-overlap-dots", "::mlir::ModuleOp"> {
  let summary = "let products that read shared memory go on while their loop does";
  let description = [{
    A product of a loop that does nothing but add to a carried value becomes asynchronous where its operands stay in shared
    memory: in slots of a ring, or outside the loop. An iteration then waits for the products of the one before, so that
    matrix units always have work. Other products are waited for where something needs their result, or may write what they
    read. A product that adds to the sum of the one before is issued at once, and one wait shows that both are over. Where
    operand A comes from registers, and these do not hold it beside what follows, the program waits at once.

    ```mlir
    scf.for ... iter_args(%sum = %zero) {
      %d = ttg.warp_group_dot %a, %b, %sum
      scf.yield %d
    }
    ```
    becomes
    ```mlir
    %r = scf.for ... iter_args(%sum = %zero) {
      %d = ttg.warp_group_dot %a, %b, %sum {isAsync = true}
      %w = ttg.warp_group_dot_wait %d {pendings = 1}
      scf.yield %w
    }
    %s = ttg.warp_group_dot_wait %r {pendings = 0}
    ```

    Slots of such a product that others fill are released (`ttg.arrive_barrier`) when it is over, in the next iteration.
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect", "::mlir::arith::ArithDialect"];
}

def TritonGPUAlternateGroups : Pass<"tritongpu-alternate-groups", "::mlir::ModuleOp"> {
  let summary = "let groups of warps take turns at the matrix units";
  let description = [{
    Where two groups of warps compute different rows of two products of a loop, with exponentials of the one between, as in
    attention, both tend to do the same at the same time: the matrix units rest while both compute exponentials. This pass
    gives them turns, so that one computes exponentials while the other multiplies. A group has the turn from its second
    product to the first of the next iteration. Loops with a barrier of all warps are left alone.

    ```mlir
    scf.for ... {
      %s = ttg.warp_group_dot %q, %k, %zero
      // exponentials
      %o = ttg.warp_group_dot %p, %v, %acc
    ```
    becomes
    ```mlir
    ttg.pass_turn {begins}
    ttg.wait_turn
    scf.for ... {
      %s = ttg.warp_group_dot %q, %k, %zero {isAsync = true}
      ttg.pass_turn
      %w = ttg.warp_group_dot_wait %s {pendings = 0}
      // exponentials
      ttg.wait_turn
      %o = ttg.warp_group_dot %p, %v, %acc
    }
    ttg.pass_turn
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
