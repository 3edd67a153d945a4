// RUN: triton-opt --tritongpu-stage-loads %s | FileCheck %s
// RUN: triton-opt --tritongpu-stage-loads --tritongpu-assign-latencies %s | FileCheck %s --check-prefix=LATENCY
// RUN: triton-opt --tritongpu-stage-loads=num-stages=1 %s | FileCheck %s --check-prefix=ONE

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // Weights go through a buffer, and run ahead; factors that no copy can bring wait in registers for an iteration.
  // CHECK-LABEL: tt.func @weights
  // LATENCY-LABEL: tt.func @weights
  // ONE-LABEL: tt.func @weights
  // ONE-NOT: ttg.local_alloc
  // ONE: tt.func @repeated
  tt.func @weights(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #a>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %wide = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %wide : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %base = tt.addptr %p, %at : !tt.ptr<i32>, i32
      %bases = tt.splat %base : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>, #blocked>
      %pointers = tt.addptr %bases, %offsets : tensor<64x64x!tt.ptr<i32>, #blocked>, tensor<64x64xi32, #blocked>
      // CHECK: %[[W:.*]] = tt.load {{.*}} tensor<64x64x!tt.ptr<i32>
      // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %[[W]]
      // LATENCY: tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x64x!tt.ptr<i32>
      %w = tt.load %pointers : tensor<64x64x!tt.ptr<i32>, #blocked>
      %factorBase = tt.addptr %s, %i : !tt.ptr<f16>, i32
      %factorBases = tt.splat %factorBase : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #row>
      %factorPointers = tt.addptr %factorBases, %columns : tensor<64x!tt.ptr<f16>, #row>, tensor<64xi32, #row>
      // CHECK: %[[F:.*]] = tt.load {{.*}} tensor<64x!tt.ptr<f16>
      // CHECK-NEXT: tt.expand_dims %[[F]]
      // LATENCY: tt.load {{.*}} {tt.latency = 1 : i32} : tensor<64x!tt.ptr<f16>
      %f = tt.load %factorPointers : tensor<64x!tt.ptr<f16>, #row>
      %row = tt.expand_dims %f {axis = 0 : i32} : tensor<64xf16, #row> -> tensor<1x64xf16, #blocked>
      %factors = tt.broadcast %row : tensor<1x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
      // CHECK: %[[L:.*]] = ttg.local_load %[[B]]
      // CHECK-NEXT: arith.sitofp %[[L]]
      %y = arith.sitofp %w : tensor<64x64xi32, #blocked> to tensor<64x64xf16, #blocked>
      %scaled = arith.mulf %y, %factors : tensor<64x64xf16, #blocked>
      %operand = ttg.convert_layout %scaled : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
      %d = tt.dot %x, %operand, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Eight neighbours are one word of memory, which a register holds for all of them until the next iteration.
  // CHECK-LABEL: tt.func @repeated
  // CHECK: tt.load
  // CHECK-NEXT: arith.sitofp
  // LATENCY-LABEL: tt.func @repeated
  // LATENCY: tt.load {{.*}} {tt.latency = 1 : i32}
  tt.func @repeated(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %x: tensor<64x64xf16, #a>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %eight = arith.constant dense<8> : tensor<64xi32, #row>
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %words = arith.divsi %columns, %eight : tensor<64xi32, #row>
    %wide = tt.expand_dims %words {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %offsets = tt.broadcast %wide : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %base = tt.addptr %p, %i : !tt.ptr<i32>, i32
      %bases = tt.splat %base : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>, #blocked>
      %pointers = tt.addptr %bases, %offsets : tensor<64x64x!tt.ptr<i32>, #blocked>, tensor<64x64xi32, #blocked>
      %w = tt.load %pointers : tensor<64x64x!tt.ptr<i32>, #blocked>
      %y = arith.sitofp %w : tensor<64x64xi32, #blocked> to tensor<64x64xf16, #blocked>
      %operand = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
      %d = tt.dot %x, %operand, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // What no product of the loop needs, and what is read from a buffer anyway, stays as it is.
  // CHECK-LABEL: tt.func @others
  // CHECK: tt.load
  // CHECK-NEXT: arith.addf
  // CHECK: tt.load
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func @others(%p: tensor<64x64x!tt.ptr<f32>, #blocked> {tt.divisibility = 16 : i32}, %q: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32}, %n: i32, %x: tensor<64x64xf16, #a>, %zero: tensor<64x64xf32, #mma>, %zeros: tensor<64x64xf32, #blocked>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %total = %zeros) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>) : i32 {
      %t = tt.load %p : tensor<64x64x!tt.ptr<f32>, #blocked>
      %next = arith.addf %total, %t : tensor<64x64xf32, #blocked>
      %w = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
      %buffer = ttg.local_alloc %w : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory>
      %operand = ttg.local_load %buffer : !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory> -> tensor<64x64xf16, #b>
      %d = tt.dot %x, %operand, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %next : tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #blocked>
  }

  // What other products and computations use comes from the buffer that one product reads, each use in its layout.
  // CHECK-LABEL: tt.func @shared
  // CHECK: %[[L:.*]] = tt.load
  // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %[[L]]
  // CHECK-NEXT: %[[M:.*]] = ttg.local_load %[[B]] {{.*}} -> tensor<64x64xf16, #mma>
  // CHECK-NEXT: arith.extf %[[M]]
  // CHECK-NEXT: ttg.local_load %[[B]]
  // LATENCY-LABEL: tt.func @shared
  // LATENCY: tt.load {{.*}} {tt.latency = 2 : i32}
  tt.func @shared(%q: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %n: i32, %x: tensor<64x64xf16, #a>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %w = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
      %m = ttg.convert_layout %w : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #mma>
      %e = arith.extf %m : tensor<64x64xf16, #mma> to tensor<64x64xf32, #mma>
      %buffer = ttg.local_alloc %w : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory>
      %operand = ttg.local_load %buffer : !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory> -> tensor<64x64xf16, #b>
      %start = arith.addf %sum, %e : tensor<64x64xf32, #mma>
      %d = tt.dot %x, %operand, %start : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
