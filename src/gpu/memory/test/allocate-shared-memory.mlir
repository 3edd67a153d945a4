// RUN: triton-opt --allocate-shared-memory --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// Buffers that live together lie apart, those that do not may share; the total is the peak.
// CHECK: module attributes {{.*}}ttg.shared = 8192
// CHECK-LABEL: tt.func @lifetimes
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @lifetimes(%x: tensor<32x32xf32, #blocked>) -> (tensor<32x32xf32, #blocked>, tensor<32x32xf32, #blocked>, tensor<32x32xf32, #blocked>) {
    // CHECK: %[[A:.*]] = ttg.local_alloc {{.*}}allocation.offset = [[FIRST:[0-9]+]]
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    // CHECK: ttg.local_alloc
    // CHECK-NOT: allocation.offset = [[FIRST]] :
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    // CHECK: ttg.local_load %[[A]]
    %0 = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #blocked>
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = [[FIRST]] :
    %c = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    %1 = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #blocked>
    %2 = ttg.local_load %c : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #blocked>
    tt.return %0, %1, %2 : tensor<32x32xf32, #blocked>, tensor<32x32xf32, #blocked>, tensor<32x32xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// A view keeps its buffer alive, and a use in a loop does so for the whole loop.
// CHECK: module attributes {{.*}}ttg.shared = 12288
// CHECK-LABEL: tt.func @views
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @views(%x: tensor<32x32xf32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable>
    %view = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttg.local_store %x, %view : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
      %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
      %0 = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #blocked>
    }
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>

// A buffer may be used under another name: after a selection, a branch, or from one iteration to the next.
// CHECK: module attributes {{.*}}ttg.shared = 12288
// CHECK-LABEL: tt.func @selected
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @selected(%x: tensor<32x32xf32, #blocked>, %c: i1) -> tensor<32x32xf32, #blocked> {
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = [[A:[0-9]+]]
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = [[B:[0-9]+]]
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %s = arith.select %c, %a, %b : !buffer
    // CHECK: ttg.local_alloc
    // CHECK-NOT: allocation.offset = [[A]] :
    // CHECK-NOT: allocation.offset = [[B]] :
    // CHECK: ttg.local_load
    %d = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %0 = ttg.local_load %d : !buffer -> tensor<32x32xf32, #blocked>
    %1 = ttg.local_load %s : !buffer -> tensor<32x32xf32, #blocked>
    %2 = arith.addf %0, %1 : tensor<32x32xf32, #blocked>
    tt.return %2 : tensor<32x32xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>

// CHECK: module attributes {{.*}}ttg.shared = 12288
// CHECK-LABEL: tt.func @carried
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @carried(%x: tensor<32x32xf32, #blocked>, %n: i32) -> tensor<32x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a, %y = %x) -> (!buffer, tensor<32x32xf32, #blocked>) : i32 {
      %b = ttg.local_alloc %y : (tensor<32x32xf32, #blocked>) -> !buffer
      %0 = ttg.local_load %b : !buffer -> tensor<32x32xf32, #blocked>
      %1 = ttg.local_load %m : !buffer -> tensor<32x32xf32, #blocked>
      %2 = arith.addf %0, %1 : tensor<32x32xf32, #blocked>
      %d = ttg.local_alloc %2 : (tensor<32x32xf32, #blocked>) -> !buffer
      scf.yield %d, %2 : !buffer, tensor<32x32xf32, #blocked>
    }
    tt.return %r#1 : tensor<32x32xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>

// A function uses the memory from 0 on; what its caller still needs lies behind that.
// CHECK: module attributes {{.*}}ttg.shared = 8192
// CHECK-LABEL: tt.func @caller
// CHECK: ttg.local_alloc {{.*}}allocation.offset = 4096
// CHECK-LABEL: tt.func private @callee
// CHECK: ttg.local_alloc {{.*}}allocation.offset = 0
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @caller(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    tt.call @callee(%x) : (tensor<32x32xf32, #blocked>) -> ()
    %0 = ttg.local_load %a : !buffer -> tensor<32x32xf32, #blocked>
    tt.return %0 : tensor<32x32xf32, #blocked>
  }
  tt.func private @callee(%x: tensor<32x32xf32, #blocked>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %0 = ttg.local_load %b : !buffer -> tensor<32x32xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!small = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
!middle = !ttg.memdesc<32x64xf32, #shared, #ttg.shared_memory>
!large = !ttg.memdesc<64x64xf32, #shared, #ttg.shared_memory>

// Of a chain of buffers, each alive with its neighbours, the largest is placed first: the total is what lives at once.
// CHECK: module attributes {{.*}}ttg.shared = 20480
// CHECK-LABEL: tt.func @chain
// CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32{{.*}}32x64xf32
// CHECK: ttg.local_alloc {{.*}}allocation.offset = 8192 : i32{{.*}}32x64xf32
// CHECK: ttg.local_alloc {{.*}}allocation.offset = 16384 : i32{{.*}}32x32xf32
// CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32{{.*}}64x64xf32
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @chain(%x: tensor<32x64xf32, #blocked>, %y: tensor<32x32xf32, #blocked>, %z: tensor<64x64xf32, #blocked>) {
    %a = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !middle
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !middle
    %0 = ttg.local_load %a : !middle -> tensor<32x64xf32, #blocked>
    %c = ttg.local_alloc %y : (tensor<32x32xf32, #blocked>) -> !small
    %1 = ttg.local_load %b : !middle -> tensor<32x64xf32, #blocked>
    %d = ttg.local_alloc %z : (tensor<64x64xf32, #blocked>) -> !large
    %2 = ttg.local_load %c : !small -> tensor<32x32xf32, #blocked>
    %3 = ttg.local_load %d : !large -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#vectors = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// A conversion that does not fit takes several rounds, as few as possible; one that fits takes one.
// CHECK: module attributes {{.*}}ttg.shared = 131072
// CHECK-LABEL: tt.func @rounds
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @rounds(%x: tensor<256x256xf32, #rows>, %y: tensor<128x128xf32, #rows>) -> (tensor<256x256xf32, #vectors>, tensor<128x128xf32, #vectors>) {
    // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32, allocation.rounds = 2 : i32} : tensor<256x256xf32
    %0 = ttg.convert_layout %x : tensor<256x256xf32, #rows> -> tensor<256x256xf32, #vectors>
    // CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32} : tensor<128x128xf32
    %1 = ttg.convert_layout %y : tensor<128x128xf32, #rows> -> tensor<128x128xf32, #vectors>
    tt.return %0, %1 : tensor<256x256xf32, #vectors>, tensor<128x128xf32, #vectors>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#vectors = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// What lives beside a conversion counts as well: 128 KiB of a buffer leave room for 64 KiB of scratch.
// CHECK: module attributes {{.*}}ttg.shared = 196608
// CHECK-LABEL: tt.func @beside
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @beside(%x: tensor<256x256xf32, #rows>, %y: tensor<256x128xf32, #rows>) -> (tensor<256x256xf32, #vectors>, tensor<256x128xf32, #rows>) {
    %buffer = ttg.local_alloc %y : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #shared, #ttg.shared_memory>
    // CHECK: ttg.convert_layout {{.*}}allocation.rounds = 4 : i32
    %0 = ttg.convert_layout %x : tensor<256x256xf32, #rows> -> tensor<256x256xf32, #vectors>
    %1 = ttg.local_load %buffer : !ttg.memdesc<256x128xf32, #shared, #ttg.shared_memory> -> tensor<256x128xf32, #rows>
    tt.return %0, %1 : tensor<256x256xf32, #vectors>, tensor<256x128xf32, #rows>
  }
}

// -----

#rows = #ttg.linear<{shape = [65536], register = [[1], [2], [4], [8], [16], [32], [64], [128]], lane = [[256], [512], [1024], [2048], [4096]], warp = [[8192], [16384], [32768]], block = []}>
#columns = #ttg.linear<{shape = [65536], register = [[256], [512], [1024], [2048], [4096], [8192], [16384], [32768]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]], block = []}>

// Without a bit that is a register's in both layouts there is one round, whatever it needs.
// CHECK: module attributes {{.*}}ttg.shared = 262144
// CHECK-LABEL: tt.func @apart
// CHECK-NOT: allocation.rounds
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @apart(%x: tensor<65536xf32, #rows>) -> tensor<65536xf32, #columns> {
    %0 = ttg.convert_layout %x : tensor<65536xf32, #rows> -> tensor<65536xf32, #columns>
    tt.return %0 : tensor<65536xf32, #columns>
  }
}

// -----

#lanes = #ttg.linear<{shape = [256], register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>
#warps = #ttg.linear<{shape = [256], register = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2]], block = []}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// Little scratch shares its place where a buffer takes everything.
// CHECK: module attributes {{.*}}ttg.shared = 65536
// CHECK-LABEL: tt.func @shares
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @shares(%x: tensor<256xi8, #lanes>, %y: tensor<128x128xf32, #rows>) -> (tensor<256xi8, #warps>, tensor<128x128xf32, #rows>) {
    %0 = ttg.convert_layout %x : tensor<256xi8, #lanes> -> tensor<256xi8, #warps>
    %buffer = ttg.local_alloc %y : (tensor<128x128xf32, #rows>) -> !ttg.memdesc<128x128xf32, #shared, #ttg.shared_memory>
    %1 = ttg.local_load %buffer : !ttg.memdesc<128x128xf32, #shared, #ttg.shared_memory> -> tensor<128x128xf32, #rows>
    tt.return %0, %1 : tensor<256xi8, #warps>, tensor<128x128xf32, #rows>
  }
}

// -----

// A copy whose token nobody uses ends with the next wait for all copies; until then its buffer keeps its place.
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>
// CHECK: module attributes {{.*}}ttg.shared = 1024
// CHECK-LABEL: tt.func @copied
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @copied(%p: tensor<128x!tt.ptr<f32>, #flat>, %x: tensor<128xf32, #flat>) -> (tensor<128xf32, #flat>, tensor<128xf32, #flat>) {
    // CHECK: ttg.local_alloc {allocation.offset = [[COPIED:[0-9]+]] :
    %copied = ttg.local_alloc : () -> !buffer
    %token = ttg.async_copy_global_to_local %p, %copied : tensor<128x!tt.ptr<f32>, #flat> -> !buffer
    %group = ttg.async_commit_group
    // CHECK-NOT: allocation.offset = [[COPIED]] :
    // CHECK: ttg.async_wait
    %first = ttg.local_alloc %x : (tensor<128xf32, #flat>) -> !buffer
    %y = ttg.local_load %first : !buffer -> tensor<128xf32, #flat>
    %wait = ttg.async_wait {num = 0 : i32}
    %second = ttg.local_alloc %x : (tensor<128xf32, #flat>) -> !buffer
    %z = ttg.local_load %second : !buffer -> tensor<128xf32, #flat>
    tt.return %y, %z : tensor<128xf32, #flat>, tensor<128xf32, #flat>
  }
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
!slots = !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #bars, #ttg.shared_memory, mutable>

// The computing warps have awaited all copies to a ring when they have read it: what they need then may lie there.
// Within a loop the next copies may be under way.
// CHECK: module attributes {{.*}}ttg.shared = 16392
// CHECK-LABEL: tt.func @rings
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.launch_warps = 5 : i32} {
  tt.func @rings(%desc: !tt.tensordesc<tensor<32x32xf32>>, %x: tensor<32x32xf32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.local_alloc {allocation.offset = [[AFTER:[0-9]+]] : i32} : () -> !ttg.memdesc<2x32x32xf32
    %after = ttg.local_alloc : () -> !slots
    // CHECK: ttg.local_alloc {allocation.offset = [[IN:[0-9]+]] : i32} : () -> !ttg.memdesc<2x32x32xf32
    %in = ttg.local_alloc : () -> !slots
    %barrier = ttg.local_alloc : () -> !barrier
    %mover = ttg.is_mover {anyThread}
    scf.if %mover {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %to = ttg.memdesc_index %after[%c0] : !slots -> !slot
        ttg.async_mapped_load %desc[%c0, %i], %to, %barrier : !tt.tensordesc<tensor<32x32xf32>> -> !slot, !barrier
      }
      scf.for %i = %c0 to %n step %c1 : i32 {
        %to = ttg.memdesc_index %in[%c0] : !slots -> !slot
        ttg.async_mapped_load %desc[%c0, %i], %to, %barrier : !tt.tensordesc<tensor<32x32xf32>> -> !slot, !barrier
      }
    } else {
      scf.for %i = %c0 to %n step %c1 : i32 {
        ttg.wait_barrier %barrier, %c0 : !barrier
        %from = ttg.memdesc_index %after[%c0] : !slots -> !slot
        %read = ttg.local_load %from : !slot -> tensor<32x32xf32, #blocked>
      }
      // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[AFTER]] : i32}
      %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
      scf.for %i = %c0 to %n step %c1 : i32 {
        ttg.wait_barrier %barrier, %c0 : !barrier
        %from = ttg.memdesc_index %in[%c0] : !slots -> !slot
        %read = ttg.local_load %from : !slot -> tensor<32x32xf32, #blocked>
        // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[AFTER]] : i32}
        %b = ttg.local_alloc %read : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
      }
    }
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
!slots = !ttg.memdesc<3x128x128xf16, #shared, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory, mutable>

// The conversion has two rounds at most: with the buffer beside it, two programs do not fit on a multiprocessor.
// CHECK: module attributes
// CHECK-NOT: ttg.resident_programs
// CHECK-SAME: ttg.shared = 131072
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.resident_programs = 2 : i32} {
  tt.func @no_room(%x: tensor<128x128xf32, #mma>) -> (tensor<128x128xf32, #blocked>, !slot) {
    %c0 = arith.constant 0 : i32
    %slots = ttg.local_alloc : () -> !slots
    %converted = ttg.convert_layout %x : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #blocked>
    %slot = ttg.memdesc_index %slots[%c0] : !slots -> !slot
    tt.return %converted, %slot : tensor<128x128xf32, #blocked>, !slot
  }
}
