// RUN: triton-opt --tritongpu-share-partitions --tritongpu-outline-partitions --split-input-file %s | FileCheck %s

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffers = !ttg.memdesc<2x128xf32, #row, #ttg.shared_memory, mutable>
!buffer = !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Both groups call one function, with the registers of the second; there would be 248 for the first.
  // CHECK-LABEL: tt.func public @halves
  // CHECK: %[[SECOND:.*]] = ttg.in_warps 4, 4
  // CHECK: %[[HALF:.*]] = arith.select %[[SECOND]], %c1_i32{{.*}}, %c0_i32
  // CHECK: %[[WORKER:.*]] = ttg.is_mover {anyThread}
  // CHECK-NEXT: %[[BOTH:.*]] = ttg.in_warps 0, 8
  // CHECK-NEXT: scf.if %[[BOTH]] {
  // CHECK-NEXT: scf.if %[[WORKER]] {
  // CHECK-NEXT: } else {
  // CHECK: ttg.local_store
  // CHECK-NEXT: }
  // CHECK-NEXT: ttg.local_barrier {allWarps}
  // CHECK-NEXT: ttg.set_registers 232 {raises}
  // CHECK-NEXT: tt.call @halves.partition0({{.*}}%[[HALF]]
  // CHECK-NEXT: ttg.local_barrier {allWarps}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ttg.local_barrier {allWarps}
  // CHECK-NEXT: ttg.in_warps 8, 4
  // CHECK: tt.call @halves.partition1
  // CHECK-NOT: tt.call
  // CHECK: tt.func private @halves.partition0({{.*}}ttg.first_warp = 0 : i32, "ttg.num-warps" = 4 : i32, ttg.shared_by_groups, ttg.thread_registers = 232 : i32}
  // CHECK: tt.func private @halves.partition1
  tt.func public @halves(%n: i32, %ones: tensor<128xf32, #four>) {
    %buffers = ttg.local_alloc : () -> !buffers
    %x = arith.constant dense<1.0> : tensor<128xf32, #four> // which partitions compute again
    %c0 = arith.constant 0 : i32
    %first = ttg.memdesc_index %buffers[%c0] : !buffers -> !buffer
    ttg.local_store %ones, %first : tensor<128xf32, #four> -> !buffer
    ttg.warp_specialize {
      %half = arith.constant 0 : i32
      %own = ttg.memdesc_index %buffers[%half] : !buffers -> !buffer
      ttg.local_store %x, %own : tensor<128xf32, #four> -> !buffer
      ttg.warp_yield
    } partitions {
      %half = arith.constant 1 : i32
      %own = ttg.memdesc_index %buffers[%half] : !buffers -> !buffer
      ttg.local_store %x, %own : tensor<128xf32, #four> -> !buffer
      ttg.warp_yield
    }, {
      tt.print "n" {hex = false, isSigned = array<i32: 1>} : %n : i32
      ttg.warp_yield
    } {partitionRegisters = array<i32: 232, 24>, partitionWarps = array<i32: 4, 1>}
    tt.return
  }
}

// -----

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flipped = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffers = !ttg.memdesc<2x512xf32, #row, #ttg.shared_memory, mutable>
!buffer = !ttg.memdesc<512xf32, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A conversion needs bytes in shared memory, which two groups must not share.
  // CHECK-LABEL: tt.func public @scratch
  // CHECK-NOT: arith.select
  // CHECK: tt.call @scratch.partition0
  // CHECK: ttg.convert_layout
  // CHECK: tt.func private @scratch.partition0
  // CHECK-NOT: shared_by_groups
  // CHECK: ttg.convert_layout
  tt.func public @scratch() {
    %buffers = ttg.local_alloc : () -> !buffers
    ttg.warp_specialize {
      %half = arith.constant 0 : i32
      %own = ttg.memdesc_index %buffers[%half] : !buffers -> !buffer
      %x = ttg.local_load %own : !buffer -> tensor<512xf32, #four>
      %y = ttg.convert_layout %x : tensor<512xf32, #four> -> tensor<512xf32, #flipped>
      ttg.local_store %y, %own : tensor<512xf32, #flipped> -> !buffer
      ttg.warp_yield
    } partitions {
      %half = arith.constant 1 : i32
      %own = ttg.memdesc_index %buffers[%half] : !buffers -> !buffer
      %x = ttg.local_load %own : !buffer -> tensor<512xf32, #four>
      %y = ttg.convert_layout %x : tensor<512xf32, #four> -> tensor<512xf32, #flipped>
      ttg.local_store %y, %own : tensor<512xf32, #flipped> -> !buffer
      ttg.warp_yield
    } {partitionRegisters = array<i32>, partitionWarps = array<i32: 4>}
    tt.return
  }
}

// -----

!buffers = !ttg.memdesc<2x1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>
!buffer = !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // 40 registers of 4 warps leave 224 for the first group, which are too few for the code of the second.
  // CHECK-LABEL: tt.func public @too_few
  // CHECK: ttg.set_registers 240 {raises}
  // CHECK: ttg.set_registers 224 {raises}
  // CHECK-NOT: shared_by_groups
  tt.func public @too_few() {
    %bars = ttg.local_alloc : () -> !buffers
    ttg.warp_specialize {
      %half = arith.constant 0 : i32
      %own = ttg.memdesc_index %bars[%half] : !buffers -> !buffer
      ttg.wait_barrier %own, %half : !buffer
      ttg.warp_yield
    } partitions {
      %half = arith.constant 1 : i32
      %own = ttg.memdesc_index %bars[%half] : !buffers -> !buffer
      ttg.wait_barrier %own, %half : !buffer
      ttg.warp_yield
    }, {
      ttg.warp_yield
    } {partitionRegisters = array<i32: 240, 40>, partitionWarps = array<i32: 4, 1>}
    tt.return
  }
}

// -----

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffers = !ttg.memdesc<2x128xf32, #row, #ttg.shared_memory, mutable>
!buffer = !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The second group asks for more registers than are left for the first one: each has code and constants of its own.
  // CHECK-LABEL: tt.func public @own_registers
  // CHECK: ttg.set_registers 248
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: ttg.memdesc_index %{{.*}}[%[[ZERO]]]
  // CHECK: tt.func private @own_registers.partition0
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: ttg.memdesc_index %{{.*}}[%[[ONE]]]
  tt.func public @own_registers() {
    %buffers = ttg.local_alloc : () -> !buffers
    %x = arith.constant dense<1.0> : tensor<128xf32, #four>
    ttg.warp_specialize {
      %half = arith.constant 0 : i32
      %own = ttg.memdesc_index %buffers[%half] : !buffers -> !buffer
      ttg.local_store %x, %own : tensor<128xf32, #four> -> !buffer
      ttg.warp_yield
    } partitions {
      %half = arith.constant 1 : i32
      %own = ttg.memdesc_index %buffers[%half] : !buffers -> !buffer
      ttg.local_store %x, %own : tensor<128xf32, #four> -> !buffer
      ttg.warp_yield
    } {partitionRegisters = array<i32: 256>, partitionWarps = array<i32: 4>}
    tt.return
  }
}
