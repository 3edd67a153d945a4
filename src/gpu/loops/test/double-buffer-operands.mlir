// RUN: triton-opt --tritongpu-double-buffer-operands --split-input-file %s | FileCheck %s
// RUN: triton-opt --tritongpu-double-buffer-operands --tritongpu-overlap-dots --split-input-file %s | FileCheck %s --check-prefix=OVERLAP

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @computed
  // OVERLAP-LABEL: tt.func @computed
  tt.func @computed(%n: i32, %zero: tensor<64x64xf32, #mma>, %x: tensor<64x64xf16, #blocked>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    // CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
    // CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[SLOT:.*]] = %{{.*}})
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %a = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %y = arith.addf %x, %x : tensor<64x64xf16, #blocked>
      // CHECK: %[[WRITTEN:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
      // CHECK-NEXT: ttg.local_store %{{.*}}, %[[WRITTEN]]
      // CHECK-NEXT: %[[READ:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
      %b = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      // CHECK: ttg.warp_group_dot %{{.*}}, %[[READ]]
      // CHECK: ttg.advance_slot %[[SLOT]] of 2
      // OVERLAP: ttg.warp_group_dot {{.*}} {isAsync = true}
      // OVERLAP-NEXT: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
      %d = ttg.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // A product whose left operand is in registers, and one that does not accumulate, are over in their iteration.
  // CHECK-LABEL: tt.func @stays
  // CHECK-NOT: memdesc_index
  // CHECK: tt.return
  tt.func @stays(%n: i32, %zero: tensor<64x64xf32, #mma>, %x: tensor<64x64xf16, #blocked>, %p: tensor<64x64xf16, #dot>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttg.warp_group_dot %p, %b, %acc : tensor<64x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %y = arith.addf %x, %x : tensor<64x64xf16, #blocked>
      %c = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %e = ttg.warp_group_dot %a, %c, %zero : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %sum#0, %sum#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}

// -----

// Without asynchronous copies, what the iteration before has loaded goes to two buffers in turn first; new loads follow.
// CHECK-LABEL: tt.func @staged
// CHECK: %[[LEFT:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
// CHECK: %[[RIGHT:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
// CHECK: scf.for
// CHECK: ttg.local_store
// CHECK: ttg.local_store
// CHECK: tt.load
// CHECK: tt.load
// CHECK: ttg.local_load
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: tt.dot
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 8}>
#r = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @staged(%n: i32, %zero: tensor<64x64xf32, #mfma>, %p: tensor<64x64x!tt.ptr<f16>, #rows>, %q: tensor<64x64x!tt.ptr<f16>, #rows>,
                  %first: tensor<64x64xf16, #rows>) -> tensor<64x64xf32, #mfma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %first, %y = %first) -> (tensor<64x64xf32, #mfma>, tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows>) : i32 {
      %nx = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %ny = tt.load %q : tensor<64x64x!tt.ptr<f16>, #rows>
      %bx = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %a = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #l>
      %by = ttg.local_alloc %y : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_load %by : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #r>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #mfma>
      scf.yield %d, %nx, %ny : tensor<64x64xf32, #mfma>, tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows>
    }
    tt.return %sum#0 : tensor<64x64xf32, #mfma>
  }
}

// -----

// The last iteration follows the loop, with both operands at the same time too. Where that would take more shared memory
// than there was before, one operand follows the other.
// CHECK-LABEL: tt.func @follows
// CHECK: scf.yield
// CHECK: ttg.local_alloc %{{.*}} : (tensor<64x64xf16
// CHECK-NEXT: ttg.local_alloc %{{.*}} : (tensor<64x64xf16
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: tt.dot
// CHECK-LABEL: tt.func @follows_crowded
// CHECK: scf.yield
// CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16
// CHECK-NEXT: ttg.local_load %[[X]]
// CHECK-NEXT: %[[Y:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16
// CHECK-NEXT: ttg.local_load %[[Y]]
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 8}>
#r = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @follows(%n: i32, %zero: tensor<64x64xf32, #mfma>, %p: tensor<64x64x!tt.ptr<f16>, #rows>, %first: tensor<64x64xf16, #rows>)
      -> tensor<64x64xf32, #mfma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %first, %y = %first) -> (tensor<64x64xf32, #mfma>, tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows>) : i32 {
      %nx = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %bx = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %a = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #l>
      %by = ttg.local_alloc %y : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_load %by : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #r>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #mfma>
      scf.yield %d, %nx, %nx : tensor<64x64xf32, #mfma>, tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows>
    }
    %bx = ttg.local_alloc %sum#1 : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %a = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #l>
    %by = ttg.local_alloc %sum#2 : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %b = ttg.local_load %by : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #r>
    %d = tt.dot %a, %b, %sum#0 : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #mfma>
    tt.return %d : tensor<64x64xf32, #mfma>
  }

  tt.func @follows_crowded(%n: i32, %zero: tensor<64x64xf32, #mfma>, %p: tensor<64x64x!tt.ptr<f16>, #rows>, %first: tensor<64x64xf16, #rows>,
                           %many: tensor<64x256xf16, #rows>) -> (tensor<64x64xf32, #mfma>, tensor<64x256xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %first, %y = %first) -> (tensor<64x64xf32, #mfma>, tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows>) : i32 {
      %nx = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %bx = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %a = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #l>
      %by = ttg.local_alloc %y : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_load %by : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #r>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #mfma>
      scf.yield %d, %nx, %nx : tensor<64x64xf32, #mfma>, tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows>
    }
    %other = ttg.local_alloc %many : (tensor<64x256xf16, #rows>) -> !ttg.memdesc<64x256xf16, #shared, #smem>
    %bx = ttg.local_alloc %sum#1 : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %a = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #l>
    %by = ttg.local_alloc %sum#2 : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %b = ttg.local_load %by : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #r>
    %d = tt.dot %a, %b, %sum#0 : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #mfma>
    %seen = ttg.local_load %other : !ttg.memdesc<64x256xf16, #shared, #smem> -> tensor<64x256xf16, #rows>
    tt.return %d, %seen : tensor<64x64xf32, #mfma>, tensor<64x256xf16, #rows>
  }
}

// -----

// Where other buffers leave no room for both operands at the same time, one operand follows the other.
// CHECK-LABEL: tt.func @crowded
// CHECK: scf.for
// CHECK: %[[X:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16
// CHECK: ttg.local_load %[[X]]
// CHECK: %[[Y:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16
// CHECK: ttg.local_load %[[Y]]
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 8}>
#r = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @crowded(%n: i32, %zero: tensor<64x64xf32, #mfma>, %first: tensor<64x64xf16, #rows>) -> tensor<64x64xf32, #mfma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %other = ttg.local_alloc : () -> !ttg.memdesc<7x64x64xf16, #shared, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mfma>) : i32 {
      %slot = ttg.memdesc_index %other[%i] : !ttg.memdesc<7x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %x = ttg.local_load %slot : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #rows>
      %bx = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %a = ttg.local_load %bx : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #l>
      %by = ttg.local_alloc %first : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_load %by : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #r>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #l> * tensor<64x64xf16, #r> -> tensor<64x64xf32, #mfma>
      scf.yield %d : tensor<64x64xf32, #mfma>
    }
    tt.return %sum : tensor<64x64xf32, #mfma>
  }
}
