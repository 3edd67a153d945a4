// RUN: triton-opt --tritongpu-assign-latencies=num-stages=3 --split-input-file --verify-diagnostics %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!tile = tensor<32x32xf16, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // The load of a tile that products read from a buffer runs ahead; the load of its address does not by itself.
  // CHECK-LABEL: tt.func @product
  // CHECK: tt.load %{{.*}} : !tt.ptr<i32>
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
  tt.func @product(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %at: !tt.ptr<i32>, %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %l = tt.addptr %at, %i : !tt.ptr<i32>, i32
      %o = tt.load %l : !tt.ptr<i32>
      %m = arith.muli %o, %n {tt.divisibility = 16 : i32} : i32
      %s = tt.splat %m : i32 -> tensor<32x32xi32, #blocked>
      %q = tt.addptr %p, %s : !pointers, tensor<32x32xi32, #blocked>
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // Another kernel's argument may be the array that is stored to, unless it is known not to be.
  // CHECK-LABEL: tt.func @mayAlias
  // CHECK-NOT: tt.latency
  // CHECK-LABEL: tt.func @noAlias
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
  tt.func @mayAlias(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %w: tensor<32x32x!tt.ptr<f32>, #mma>, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %z : !left * !right -> !sum
      tt.store %w, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    }
    tt.return
  }
  tt.func @noAlias(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %w: tensor<32x32x!tt.ptr<f32>, #mma> {tt.noalias}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %z : !left * !right -> !sum
      tt.store %w, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    }
    tt.return
  }

  // A meeting that the author asks for orders loads after what the kernel writes, here in memory of its own: the load
  // runs ahead of it. Where programs synchronise with others, it orders all accesses.
  // CHECK-LABEL: tt.func @meeting
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
  // CHECK-LABEL: tt.func @meetingWithOthers
  // CHECK-NOT: tt.latency
  // CHECK-LABEL: tt.func @writtenAfter
  // CHECK-NOT: tt.latency
  // A called function does not know what its callers write, and a loop only which arguments it accesses itself.
  // CHECK-LABEL: tt.func private @called
  // CHECK-NOT: tt.latency
  // CHECK-LABEL: tt.func @writtenBefore
  // CHECK-NOT: tt.latency
  tt.func @meeting(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %w: tensor<32x32x!tt.ptr<f32>, #mma> {tt.noalias}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      gpu.barrier
      %d = tt.dot %a, %y, %z : !left * !right -> !sum
      tt.store %w, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    }
    tt.return
  }
  tt.func @meetingWithOthers(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                             %w: !tt.ptr<i32> {tt.noalias}, %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      gpu.barrier
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    %old = tt.atomic_rmw add, acq_rel, gpu, %w, %c1 : (!tt.ptr<i32>, i32) -> i32
    tt.return %r : !sum
  }
  tt.func @writtenAfter(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                        %y: !right, %z: !sum, %v: !tile, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      gpu.barrier
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    tt.store %p, %v : !pointers
    tt.return %r : !sum
  }

  tt.func private @called(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                          %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      gpu.barrier
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }
  tt.func @writtenBefore(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                         %q: !pointers, %y: !right, %z: !sum, %v: !tile, %n: i32) -> !sum {
    tt.store %q, %v : !pointers
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      gpu.barrier
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    } {tt.disjoint_arguments}
    tt.return %r : !sum
  }

  // The outer loop of a persistent kernel asks for it: the tile that the inner loop uses runs ahead as well.
  // CHECK-LABEL: tt.func @persistent
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32}
  // CHECK: scf.for
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
  tt.func @persistent(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                      %w: tensor<32x32x!tt.ptr<f32>, #mma> {tt.noalias}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %r = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
        %a = ttg.local_load %b : !buffer -> !left
        %d = tt.dot %a, %y, %acc : !left * !right -> !sum
        %v = tt.load %p : !pointers
        %u = ttg.local_alloc %v : (!tile) -> !buffer
        %e = ttg.local_load %u : !buffer -> !left
        %f = tt.dot %e, %y, %d : !left * !right -> !sum
        scf.yield %f : !sum
      }
      tt.store %w, %r : tensor<32x32x!tt.ptr<f32>, #mma>
    } {tt.num_stages = 2 : i32}
    tt.return
  }

  // Each round of a search waits for the one before.
  // CHECK-LABEL: tt.func @search
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor
  tt.func @search(%p: tensor<32x32x!tt.ptr<i32>, #blocked>, %z: tensor<32x32xi32, #blocked>, %n: i32)
      -> tensor<32x32xi32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %z) -> (tensor<32x32xi32, #blocked>) : i32 {
      %q = tt.addptr %p, %at : tensor<32x32x!tt.ptr<i32>, #blocked>, tensor<32x32xi32, #blocked>
      %x = tt.load %q : tensor<32x32x!tt.ptr<i32>, #blocked>
      %next = arith.addi %x, %at : tensor<32x32xi32, #blocked>
      scf.yield %next : tensor<32x32xi32, #blocked>
    }
    tt.return %r : tensor<32x32xi32, #blocked>
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!tile = tensor<32x32xf16, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

// Options of tl.range that have no effect are named.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @stated(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                  %w: tensor<32x32x!tt.ptr<f32>, #mma>, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-warning @below {{`num_stages` has no effect on this loop}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %z : !left * !right -> !sum
      // expected-note @below {{this may write what a load of a later iteration reads}}
      tt.store %w, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
  tt.func @hints(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-warning @below {{`warp_specialize` has no effect}}
    scf.for %i = %c0 to %n step %c1 : i32 {
    } {tt.warp_specialize}
    // Accumulators have one buffer anyway.
    scf.for %i = %c0 to %n step %c1 : i32 {
    } {tt.disallow_acc_multi_buffer}
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [64], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // A loop that only adds what it loads has several loads in flight, in registers.
  // CHECK-LABEL: tt.func @sum
  // CHECK: tt.load %{{.*}} {tt.latency = 4 : i32}
  tt.func @sum(%p: tensor<1024x!tt.ptr<f16>, #row>, %z: tensor<1024xf16, #row>, %n: i32) -> tensor<1024xf16, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> (tensor<1024xf16, #row>) : i32 {
      %s = tt.splat %i : i32 -> tensor<1024xi32, #row>
      %q = tt.addptr %p, %s : tensor<1024x!tt.ptr<f16>, #row>, tensor<1024xi32, #row>
      %x = tt.load %q : tensor<1024x!tt.ptr<f16>, #row>
      %d = arith.addf %sum, %x : tensor<1024xf16, #row>
      scf.yield %d : tensor<1024xf16, #row>
    }
    tt.return %r : tensor<1024xf16, #row>
  }

  // One that holds many registers has other warps beside it only if it takes no more of them.
  // CHECK-LABEL: tt.func @wide
  // CHECK-NOT: tt.latency
  tt.func @wide(%p: tensor<8192x!tt.ptr<f32>, #wide>, %z: tensor<8192xf32, #wide>, %n: i32) -> tensor<8192xf32, #wide> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> (tensor<8192xf32, #wide>) : i32 {
      %s = tt.splat %i : i32 -> tensor<8192xi32, #wide>
      %q = tt.addptr %p, %s : tensor<8192x!tt.ptr<f32>, #wide>, tensor<8192xi32, #wide>
      %x = tt.load %q : tensor<8192x!tt.ptr<f32>, #wide>
      %d = arith.addf %sum, %x : tensor<8192xf32, #wide>
      scf.yield %d : tensor<8192xf32, #wide>
    }
    tt.return %r : tensor<8192xf32, #wide>
  }
}

// -----
#odd = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Tiles that are loaded element by element wait in registers where the sums leave some: 32 elements of a thread beside
// 32 sums, but not beside 192, with an offset for each element.
// CHECK-LABEL: tt.func @room
// CHECK: tt.load %{{.*}} {tt.latency = 1 : i32}
// CHECK-LABEL: tt.func @full
// CHECK: tt.load %{{[a-z0-9_]+}} : tensor<128x32x!tt.ptr<f16>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @room(%p: tensor<128x32x!tt.ptr<f16>, #odd>, %b: !ttg.memdesc<32x32xf16, #shared, #smem>,
                %z: tensor<128x32xf32, #narrow>, %n: i32) -> tensor<128x32xf32, #narrow> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> (tensor<128x32xf32, #narrow>) : i32 {
      %x = tt.load %p : tensor<128x32x!tt.ptr<f16>, #odd>
      %a = ttg.local_alloc %x : (tensor<128x32xf16, #odd>) -> !ttg.memdesc<128x32xf16, #shared, #smem>
      %d = ttg.warp_group_dot %a, %b, %sum : !ttg.memdesc<128x32xf16, #shared, #smem> * !ttg.memdesc<32x32xf16, #shared, #smem> -> tensor<128x32xf32, #narrow>
      scf.yield %d : tensor<128x32xf32, #narrow>
    }
    tt.return %r : tensor<128x32xf32, #narrow>
  }

  tt.func @full(%p: tensor<128x32x!tt.ptr<f16>, #odd>, %b: !ttg.memdesc<32x128xf16, #shared, #smem>,
                %z: tensor<128x128xf32, #mma>, %y: tensor<64x128xf32, #mma>, %n: i32)
      -> (tensor<128x128xf32, #mma>, tensor<64x128xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z, %other = %y)
        -> (tensor<128x128xf32, #mma>, tensor<64x128xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x32x!tt.ptr<f16>, #odd>
      %a = ttg.local_alloc %x : (tensor<128x32xf16, #odd>) -> !ttg.memdesc<128x32xf16, #shared, #smem>
      %d = ttg.warp_group_dot %a, %b, %sum : !ttg.memdesc<128x32xf16, #shared, #smem> * !ttg.memdesc<32x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
      %e = arith.addf %other, %other : tensor<64x128xf32, #mma>
      scf.yield %d, %e : tensor<128x128xf32, #mma>, tensor<64x128xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<64x128xf32, #mma>
  }
}
