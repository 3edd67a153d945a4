// RUN: triton-opt --tritongpu-outline-partitions --split-input-file --verify-diagnostics %s | FileCheck %s

#one = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>

// 65536 registers are 168 for each thread of 384. Groups of 4 warps have equally many.
// CHECK: module attributes {{.*}}ttg.launch_warps = 12 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func public @parts
  // CHECK: %[[INDEX:.*]] = arith.addi
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc
  // CHECK: %[[WORKER:.*]] = ttg.is_mover {anyThread}
  // CHECK-NEXT: scf.if %[[WORKER]] {
  // CHECK-NEXT: ttg.local_barrier {allWarps}
  // CHECK-NEXT: %[[GROUP:.*]] = ttg.in_warps 4, 4
  // CHECK-NEXT: scf.if %[[GROUP]] {
  // CHECK-NEXT: ttg.set_registers 40
  // CHECK-NEXT: %[[FIRST:.*]] = ttg.in_warps 4, 1
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: tt.call @parts.partition0(%{{.*}}, %{{.*}})
  // CHECK-NEXT: } else {
  // CHECK-NEXT: }
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[SECOND:.*]] = ttg.in_warps 8, 4
  // CHECK-NEXT: scf.if %[[SECOND]] {
  // CHECK-NEXT: ttg.set_registers 240 {raises}
  // CHECK: tt.call @parts.partition1
  // CHECK: ttg.local_barrier {allWarps}
  // CHECK-NEXT: } else {
  // CHECK: ttg.local_store
  // CHECK-NEXT: ttg.local_barrier {allWarps}
  // CHECK-NEXT: ttg.set_registers 224 {raises}
  // CHECK-NEXT: %[[RESULT:.*]] = ttg.local_load
  // CHECK-NEXT: ttg.local_barrier {allWarps}
  // CHECK-NEXT: tt.store %{{.*}}, %[[RESULT]]
  // CHECK: tt.return
  // CHECK: tt.func private @parts.partition0(%{{.*}}: i32, %{{.*}}: !ttg.memdesc{{.*}}) attributes {noinline = false, ttg.first_warp = 4 : i32, "ttg.num-warps" = 1 : i32, ttg.thread_registers = 40 : i32}
  // CHECK-NEXT: arith.constant dense<1.0
  // CHECK: ttg.local_store
  // CHECK: tt.return
  tt.func public @parts(%n: i32, %p: tensor<128x!tt.ptr<f32>, #four>) {
    %index = arith.addi %n, %n : i32
    %buffer = ttg.local_alloc : () -> !buffer
    %ones = arith.constant dense<1.0> : tensor<128xf32, #four>
    %own = arith.constant dense<1.0> : tensor<128xf32, #one>
    ttg.local_store %ones, %buffer : tensor<128xf32, #four> -> !buffer
    %result = ttg.warp_specialize {
      %x = ttg.local_load %buffer : !buffer -> tensor<128xf32, #four>
      ttg.warp_yield %x : tensor<128xf32, #four>
    } partitions {
      tt.print "index" {hex = false, isSigned = array<i32: 1>} : %index : i32
      ttg.local_store %own, %buffer : tensor<128xf32, #one> -> !buffer
      ttg.warp_yield
    }, {
      ttg.local_store %ones, %buffer : tensor<128xf32, #four> -> !buffer
      ttg.warp_yield
    } {partitionRegisters = array<i32: 40, 236>, partitionWarps = array<i32: 1, 4>} : tensor<128xf32, #four>
    tt.store %p, %result : tensor<128x!tt.ptr<f32>, #four>
    tt.return
  }
}

// -----

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @loaded(%p: tensor<128x!tt.ptr<f32>, #four>) {
    // expected-error @below {{a partition of warps needs this block, which lies in the registers of other threads}}
    %x = tt.load %p : tensor<128x!tt.ptr<f32>, #four>
    ttg.warp_specialize {
      ttg.warp_yield
    } partitions {
      %b = ttg.local_alloc %x : (tensor<128xf32, #four>) -> !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>
      ttg.warp_yield
    } {partitionRegisters = array<i32>, partitionWarps = array<i32: 4>}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @registers(%n: i32) {
    // expected-error @below {{which leaves the first one too few}}
    ttg.warp_specialize {
      ttg.warp_yield
    } partitions {
      tt.print "n" {hex = false, isSigned = array<i32: 1>} : %n : i32
      ttg.warp_yield
    }, {
      ttg.warp_yield
    } {partitionRegisters = array<i32: 248, 248>, partitionWarps = array<i32: 4, 4>}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @branch(%n: i32, %c: i1) {
    scf.if %c {
      // expected-error @below {{warps part once in a kernel, and neither in a loop nor in a branch}}
      ttg.warp_specialize {
        ttg.warp_yield
      } partitions {
        tt.print "n" {hex = false, isSigned = array<i32: 1>} : %n : i32
        ttg.warp_yield
      } {partitionRegisters = array<i32>, partitionWarps = array<i32: 4>}
    }
    tt.return
  }
}

// -----

// expected-error @below {{`ttg.target`}}
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @noMachine(%n: i32) {
    ttg.warp_specialize {
      ttg.warp_yield
    } partitions {
      tt.print "n" {hex = false, isSigned = array<i32: 1>} : %n : i32
      ttg.warp_yield
    } {partitionRegisters = array<i32: 64>, partitionWarps = array<i32: 4>}
    tt.return
  }
}
