// RUN: triton-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// Kernels state the number of their threads. Four neighbouring elements of an aligned array are one access.
// CHECK-LABEL: llvm.func ptx_kernelcc @copy
// CHECK-SAME: (%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME: passthrough = {{.*}}["nvvm.reqntid", "128"]
// CHECK-COUNT-1: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK-COUNT-1: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
tt.func public @copy(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %as, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %pa : tensor<512x!tt.ptr<f32>, #blocked>
  %y = arith.addf %x, %x : tensor<512xf32, #blocked>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %pb = tt.addptr %bs, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  tt.store %pb, %y : tensor<512x!tt.ptr<f32>, #blocked>
  tt.return
}

// The reciprocal of a divisor that elements share is computed once, with a scale that keeps it in range.
// CHECK-LABEL: llvm.func ptx_kernelcc @shared_divisor
// CHECK-COUNT-1: nvvm.rcp.approx.ftz.f
// CHECK-COUNT-8: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK-NOT: nvvm.rcp.approx.ftz.f
// CHECK-NOT: nvvm.div.full
// CHECK-LABEL: llvm.func ptx_kernelcc @own_divisors
// CHECK-COUNT-4: nvvm.div.full
tt.func public @shared_divisor(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %divisor: f32) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %as, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %pa : tensor<512x!tt.ptr<f32>, #blocked>
  %divisors = tt.splat %divisor : f32 -> tensor<512xf32, #blocked>
  %y = arith.divf %x, %divisors : tensor<512xf32, #blocked>
  tt.store %pa, %y : tensor<512x!tt.ptr<f32>, #blocked>
  tt.return
}
tt.func public @own_divisors(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %as, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %pa : tensor<512x!tt.ptr<f32>, #blocked>
  %y = arith.divf %x, %x : tensor<512xf32, #blocked>
  tt.store %pa, %y : tensor<512x!tt.ptr<f32>, #blocked>
  tt.return
}

// Without a known alignment each element is its own access; the mask guards it.
// CHECK-LABEL: llvm.func ptx_kernelcc @masked
// CHECK-COUNT-4: llvm.inline_asm {{.*}}"@$2 ld.global.b32 $0, [$1];"
tt.func public @masked(%a: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %ns = tt.splat %n : i32 -> tensor<512xi32, #blocked>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32, #blocked>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %as, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  %x = tt.load %pa, %m : tensor<512x!tt.ptr<f32>, #blocked>
  tt.store %pa, %x, %m : tensor<512x!tt.ptr<f32>, #blocked>
  tt.return
}

// Copies in warps do not store: 128 elements for 128 threads of four elements leave one warp.
// CHECK-LABEL: llvm.func ptx_kernelcc @copies
// CHECK: %[[WARP:.*]] = llvm.lshr
// CHECK: %[[FREE:.*]] = llvm.and %[[WARP]], %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[FREE]]
// CHECK: llvm.cond_br %[[FIRST]]
// CHECK: llvm.store
tt.func public @copies(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
  %x = arith.constant dense<1.0> : tensor<128xf32, #blocked>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %as, %i : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
  tt.store %pa, %x : tensor<128x!tt.ptr<f32>, #blocked>
  tt.return
}

// One thread performs an operation on a scalar: where that releases what the program did, the other threads' work must be
// done.
// CHECK-LABEL: llvm.func ptx_kernelcc @release
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.atomicrmw
// CHECK: nvvm.barrier
// CHECK: llvm.fence syncscope("device") release
// CHECK: llvm.atomicrmw
// CHECK: llvm.fence syncscope("device") acquire
tt.func public @release(%a: !tt.ptr<i32>, %x: i32) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %a, %x : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw exch, acq_rel, gpu, %a, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// Loads and stores order what the whole program does, in any shape; a poll holds the program even where nobody looks at
// the result.
// CHECK-LABEL: llvm.func ptx_kernelcc @accesses
// CHECK: llvm.load {{.*}} atomic syncscope("device") monotonic
// CHECK: llvm.fence syncscope("device") acquire
// CHECK: nvvm.barrier
// CHECK: nvvm.barrier
// CHECK: llvm.fence syncscope("block") release
// CHECK: llvm.store {{.*}} atomic syncscope("block") monotonic
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: llvm.load {{.*}} atomic monotonic
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: llvm.fence acquire
// CHECK: nvvm.barrier
tt.func public @accesses(%a: !tt.ptr<i32>, %t: i64) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
  %as = tt.splat %a : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
  %pa = tt.addptr %as, %i : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>
  %x = tt.atomic_load acquire, gpu, %pa {allocation.offset = 0 : i32} : (tensor<128x!tt.ptr<i32>, #blocked>) -> tensor<128xi32, #blocked>
  tt.atomic_store release, cta, %pa, %x : tensor<128x!tt.ptr<i32>, #blocked>
  %one = arith.constant 1 : i32
  %0 = tt.atomic_poll acquire, sys, %a, %one timeout %t : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// One thread reads the clock for all: they take the same branches.
// CHECK-LABEL: llvm.func ptx_kernelcc @target
// CHECK: nvvm.griddepcontrol.wait
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: nvvm.barrier
// CHECK: llvm.load {{.*}} -> i64
// CHECK: nvvm.read.ptx.sreg.smid
// CHECK: nvvm.griddepcontrol.launch.dependents
tt.func public @target(%a: !tt.ptr<i64>, %b: !tt.ptr<i32>) {
  tt.wait_for_prior_launch
  %t = tt.get_time {allocation.offset = 0 : i32} : i64
  tt.store %a, %t : !tt.ptr<i64>
  %m = tt.get_multiprocessor_id : i32
  tt.store %b, %m : !tt.ptr<i32>
  tt.allow_next_launch
  tt.return
}
}
