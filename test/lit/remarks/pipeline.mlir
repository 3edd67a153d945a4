// RUN: triton-opt --tritongpu-assign-latencies=num-stages=3 --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Why loads do not run iterations ahead.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!tile = tensor<32x32xf16, #blocked>
!mask = tensor<32x32xi1, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // Nothing is to be said of a loop whose loads run ahead, nor of one that loads nothing.
  tt.func @ahead(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d = arith.addf %z, %z : !sum
    }
    tt.return
  }
  tt.func @oneStage(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="`num_stages` is 1, which leaves no load in flight", Remark="the loop is not pipelined"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    } {tt.num_stages = 1 : i32}
    tt.return
  }
  tt.func @mayAlias(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %w: tensor<32x32x!tt.ptr<f32>, #mma>, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="this may write what a load of a later iteration reads"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
      tt.store %w, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    }
    tt.return
  }
  tt.func @volatile(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %v: tensor<32x32x!tt.ptr<f16>, #b>, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="this load is volatile, so it keeps the order of the accesses around it"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %y = tt.load %v {isVolatile = true} : tensor<32x32x!tt.ptr<f16>, #b>
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    tt.return
  }
  tt.func @ordered(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="this operation keeps the order of the operations around it"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
      ttg.local_barrier
    }
    tt.return
  }
  tt.func @computedAddress(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="the addresses of this load depend on what must not run ahead"}}
    scf.for %i = %c0 to %n step %c1 iter_args(%from = %p) -> (!pointers) : i32 {
      %x = tt.load %from : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
      %f = ttg.convert_layout %d : !sum -> tensor<32x32xf32, #blocked>
      %t = arith.fptosi %f {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<1> : tensor<2xi32>, tt.constancy = dense<32> : tensor<2xi32>} : tensor<32x32xf32, #blocked> to tensor<32x32xi32, #blocked>
      %next = tt.addptr %from, %t {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>} : !pointers, tensor<32x32xi32, #blocked>
      scf.yield %next : !pointers
    }
    tt.return
  }
  tt.func @obstacles(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %narrow: !pointers,
                     %m: !mask {tt.constancy = dense<32> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant dense<1.0> : !tile
    // expected-remark @below {{Reason="this load is volatile"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p {isVolatile = true} : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark @below {{Reason="`other` of this load is not 0, which is what copies to shared memory fill in", Remark="the load runs one iteration ahead, in registers"}}
      %x = tt.load %p, %m, %one : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    // expected-remark @below {{Reason="what this loads is used several times, not from one buffer in shared memory alone"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %e = math.exp %x : !tile
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    // The load runs ahead in registers.
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %e = math.exp %x : !tile
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark @below {{Reason="a thread moves too few neighbouring bytes of this load for an asynchronous copy", Remark="the load runs one iteration ahead, in registers"}}
      %x = tt.load %narrow : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    tt.return
  }
  // One of two loads runs ahead: the other is named.
  tt.func @oneOfTwo(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
      // expected-remark @below {{Reason="only operands that products of the loop read from shared memory run ahead", Remark="the load does not run iterations ahead"}}
      %v = tt.load %p : !pointers
      %e = math.exp %v : !tile
    }
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<512x32x!tt.ptr<f16>, #blocked>
!tile = tensor<512x32xf16, #blocked>
!buffer = !ttg.memdesc<512x32xf16, #shared, #ttg.shared_memory>
!left = tensor<512x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<512x32xf32, #mma>

// 98304 bytes hold three of the tiles, 65536 two; a program on sm_86 has 101376.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:86"} {
  tt.func @short(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="shared memory holds no more buffers for its loads", Remark="the loop has 3 of 4 stages"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    } {tt.num_stages = 4 : i32}
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<1024x32x!tt.ptr<f16>, #blocked>
!tile = tensor<1024x32xf16, #blocked>
!buffer = !ttg.memdesc<1024x32xf16, #shared, #ttg.shared_memory>
!left = tensor<1024x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<1024x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:86"} {
  tt.func @full(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="shared memory does not hold a second buffer for its loads"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %s = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %s : !buffer -> !left
      %d = tt.dot %l, %y, %z : !left * !right -> !sum
    }
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
!pointers = tensor<128x128x!tt.ptr<f16>, #blocked>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:75"} {
  tt.func @noCopies(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 128]> : tensor<2xi32>}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark @below {{Reason="only operands that products of the loop read from shared memory run ahead"}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      %e = math.exp %x : tensor<128x128xf16, #blocked>
    }
    tt.return
  }
}
