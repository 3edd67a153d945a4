// RUN: triton-opt --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// Two iterations' copies before the loop, each masked by its existence; in the loop the use, then the copy for two
// iterations later into the slot that the iteration before has read; one group is left under way, none after the loop.
// CHECK-LABEL: tt.func @product
// CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x32x32xf16
// CHECK: arith.cmpi slt
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: ttg.async_commit_group
// CHECK: arith.cmpi slt
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: ttg.async_commit_group
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
// CHECK: %[[USED:.*]] = ttg.memdesc_index %[[RING]]
// CHECK: ttg.local_load %[[USED]]
// CHECK: tt.dot
// CHECK: %[[FILLED:.*]] = ttg.memdesc_index %[[RING]]
// CHECK: ttg.async_copy_global_to_local {{.*}}, %[[FILLED]] mask
// CHECK: ttg.async_commit_group
// CHECK: scf.yield
// CHECK: ttg.async_wait {num = 0 : i32}
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @product(%p: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant dense<32> : tensor<32x32xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p)
        -> (tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      %s = tt.addptr %q, %k : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
      scf.yield %d, %s : tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// What an iteration assumes keeps nothing in its place, and is not stated of iterations that do not exist.
// CHECK-LABEL: tt.func @assumes
// CHECK-COUNT-2: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: scf.for
// CHECK: llvm.intr.assume
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @assumes(%p: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant dense<32> : tensor<32x32xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p)
        -> (tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>) : i32 {
      %known = arith.cmpi sge, %i, %c0 : i32
      llvm.intr.assume %known : i1
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      %s = tt.addptr %q, %k : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
      scf.yield %d, %s : tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// A loop that writes memory keeps its order: the write may be what the next load reads.
// CHECK-LABEL: tt.func @writes
// CHECK-NOT: ttg.async_copy_global_to_local
// With two stages the copy for the next iteration comes first, so that it has the whole iteration to arrive.
// CHECK-LABEL: tt.func @twoStages
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16
// CHECK: scf.for
// CHECK: ttg.async_wait %{{.*}} {num = 0 : i32}
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: ttg.local_load
// CHECK: tt.dot
// CHECK: scf.yield
// Beside the first of several products it is soon enough.
// CHECK-LABEL: tt.func @twoProducts
// CHECK: scf.for
// CHECK: ttg.async_wait %{{.*}} {num = 0 : i32}
// CHECK: tt.dot
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: ttg.local_load
// CHECK: tt.dot
// CHECK: scf.yield
// One stage means no overlap.
// CHECK-LABEL: tt.func @oneStage
// CHECK-NOT: ttg.async_copy_global_to_local
// A value other than zero for masked elements is not what the copy writes.
// CHECK-LABEL: tt.func @other
// CHECK-NOT: ttg.async_copy_global_to_local
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @writes(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                  %w: tensor<32x32x!tt.ptr<f32>, #mma>, %y: tensor<32x32xf16, #b>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %z : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      tt.store %w, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    }
    tt.return
  }

  tt.func @twoStages(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    } {tt.num_stages = 2 : i32}
    tt.return %r : tensor<32x32xf32, #mma>
  }

  tt.func @twoProducts(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                       %w: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                       %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      %u = tt.load %w : tensor<32x32x!tt.ptr<f16>, #blocked>
      %v = ttg.local_alloc %u : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %t = ttg.local_load %v : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %e = tt.dot %t, %y, %d : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %e : tensor<32x32xf32, #mma>
    } {tt.num_stages = 2 : i32}
    tt.return %r : tensor<32x32xf32, #mma>
  }

  tt.func @oneStage(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    } {tt.num_stages = 1 : i32}
    tt.return %r : tensor<32x32xf32, #mma>
  }

  tt.func @other(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                 %k: tensor<32x32xi1, #blocked>, %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant dense<1.0> : tensor<32x32xf16, #blocked>
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q, %k, %one : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    }
    tt.return %r : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// A user under a branch comes before the copy that fills its slot anew, as any other; the wait is not under the branch.
// CHECK-LABEL: tt.func @branch
// CHECK: scf.for
// CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
// CHECK: scf.if
// CHECK: ttg.local_load
// CHECK: tt.dot
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.yield
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @branch(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                  %y: tensor<32x32xf16, #b>, %n: i32, %c: i1) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %s = scf.if %c -> (tensor<32x32xf32, #mma>) {
        %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
        %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
        scf.yield %d : tensor<32x32xf32, #mma>
      } else {
        scf.yield %acc : tensor<32x32xf32, #mma>
      }
      scf.yield %s : tensor<32x32xf32, #mma>
    }
    tt.return %r : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// Masked elements become +0, which -0 is not. Iterations that do not exist close a group as well: waits count groups.
// CHECK-LABEL: tt.func @negativeZero
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK-LABEL: tt.func @groups
// CHECK-COUNT-2: ttg.async_commit_group
// CHECK: scf.for
// CHECK-COUNT-1: ttg.async_commit_group
// CHECK-NOT: ttg.async_commit_group
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @negativeZero(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                        %k: tensor<32x32xi1, #blocked>, %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<-0.0> : tensor<32x32xf16, #blocked>
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q, %k, %zero : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    }
    tt.return %r : tensor<32x32xf32, #mma>
  }

  tt.func @groups(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                  %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    }
    tt.return %r : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// An unsigned loop compares as such. No bound less two steps is compared where it may wrap: two iterations must exist.
// CHECK-LABEL: tt.func @unsigned
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %{{.*}}, %[[N:.*]] : i32
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: arith.cmpi ult, %{{.*}}, %[[N]] : i32
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: %[[REACHED:.*]] = arith.cmpi ult, %{{.*}}, %[[N]] : i32
// CHECK: %[[LIMIT:.*]] = arith.select %[[REACHED]]
// CHECK: scf.for unsigned %[[I:[a-z0-9]*]] =
// CHECK: arith.cmpi ult, %[[I]], %[[LIMIT]]
// Where the lower bound is not known either, what is left of the range decides.
// CHECK-LABEL: tt.func @anywhere
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[L:.*]], %[[U:.*]] : i8
// CHECK: %[[LEFT:.*]] = arith.subi %[[U]]
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %{{.*}} : i8
// CHECK: arith.andi %[[FIRST]], %[[MORE]] : i1
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @unsigned(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    }
    tt.return %r : tensor<32x32xf32, #mma>
  }

  tt.func @anywhere(%q: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %y: tensor<32x32xf16, #b>, %l: i8, %u: i8, %s: i8) -> tensor<32x32xf32, #mma> {
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = scf.for %i = %l to %u step %s iter_args(%acc = %z) -> (tensor<32x32xf32, #mma>) : i8 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      scf.yield %d : tensor<32x32xf32, #mma>
    }
    tt.return %r : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// Of two iterations, both are copied before the loop, to two slots. The loop only closes groups, for the waits.
// CHECK-LABEL: tt.func @few
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK: scf.for
// CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
// CHECK: tt.dot
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group{{ *$}}
// CHECK-NEXT: scf.yield
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @few(%p: tensor<32x32x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
               %y: tensor<32x32xf16, #b>) -> tensor<32x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %n = arith.constant 2 : i32
    %k = arith.constant dense<32> : tensor<32x32xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p)
        -> (tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>) : i32 {
      %x = tt.load %q : tensor<32x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory> -> tensor<32x32xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
      %s = tt.addptr %q, %k : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
      scf.yield %d, %s : tensor<32x32xf32, #mma>, tensor<32x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<32x32xf32, #mma>
  }
}
