// RUN: triton-opt --tritongpu-limit-warps="target=cuda:90 num-warps=8" --split-input-file %s | FileCheck %s
// RUN: triton-opt --tritongpu-limit-warps="target=cuda:90 num-warps=8" --convert-triton-to-tritongpu="target=cuda:90 num-warps=8" --split-input-file %s | FileCheck %s --check-prefix=LAYOUT

// 1024 halves are 128 vectors of 16 bytes: four warps have one for each thread.
// CHECK: module attributes {"ttg.warp-limit" = 4 : i32}
// CHECK-LABEL: tt.func @halves(
// LAYOUT: warpsPerCTA = [4]
// LAYOUT: module attributes {{{.*}}"ttg.num-warps" = 4 : i32
// LAYOUT-NOT: ttg.warp-limit
module {
  tt.func @halves(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
    %a = tt.addptr %b, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
    %x = tt.load %a : tensor<1024x!tt.ptr<f16>>
    tt.store %a, %x : tensor<1024x!tt.ptr<f16>>
    tt.return
  }
}

// -----

// The same number of words fills eight warps, and so do halves at single addresses.
// CHECK-NOT: ttg.warp-limit
// CHECK-LABEL: tt.func @words(
// LAYOUT: module attributes {{{.*}}"ttg.num-warps" = 8 : i32
module {
  tt.func @words(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16>) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %a : tensor<1024x!tt.ptr<f32>>
    %y = arith.truncf %x : tensor<1024xf32> to tensor<1024xf16>
    %c = tt.splat %q : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
    %d = tt.addptr %c, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
    tt.store %d, %y : tensor<1024x!tt.ptr<f16>>
    tt.return
  }
}

// -----

// What is computed from the halves without memory counts too.
// CHECK-NOT: ttg.warp-limit
// CHECK-LABEL: tt.func @pairs(
module {
  tt.func @pairs(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f16>>
    %column = tt.expand_dims %x {axis = 1 : i32} : tensor<128xf16> -> tensor<128x1xf16>
    %all = tt.broadcast %column : tensor<128x1xf16> -> tensor<128x128xf16>
    %sum = "tt.reduce"(%all) <{axis = 1 : i32}> ({
    ^bb0(%left: f16, %right: f16):
      %s = arith.addf %left, %right : f16
      tt.reduce.return %s : f16
    }) : (tensor<128x128xf16>) -> tensor<128xf16>
    tt.store %a, %sum : tensor<128x!tt.ptr<f16>>
    tt.return
  }
}

// -----

// Atomics are served one by one: more threads have more of them under way.
// CHECK-NOT: ttg.warp-limit
// CHECK-LABEL: tt.func @atomics(
module {
  tt.func @atomics(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %one = arith.constant dense<1.0> : tensor<128xf32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.atomic_rmw fadd, relaxed, gpu, %a, %one : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) -> tensor<128xf32>
    tt.return
  }
}

// -----

// The kernel knows how many warps there are.
// CHECK-NOT: ttg.warp-limit
// CHECK-LABEL: tt.func @fixed(
module attributes {tt.fixed_warps} {
  tt.func @fixed(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>>
    tt.store %a, %x : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// Two vectors a thread, but a reduction: four warps, one a scheduler, take fewer steps. Not so when it has more to keep
// than a thread has registers for.
// CHECK: module attributes {"ttg.warp-limit" = 4 : i32}
// CHECK-LABEL: tt.func @rows(
module {
  tt.func @rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16>) {
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
    %a = tt.addptr %b, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
    %x = tt.load %a : tensor<4096x!tt.ptr<f16>>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%left: f16, %right: f16):
      %s = arith.addf %left, %right : f16
      tt.reduce.return %s : f16
    }) : (tensor<4096xf16>) -> f16
    tt.store %q, %sum : !tt.ptr<f16>
    tt.return
  }
}

// -----

// CHECK-NOT: ttg.warp-limit
// CHECK-LABEL: tt.func @many_rows(
module {
  tt.func @many_rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f64>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf64>
    %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
    %a = tt.addptr %b, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
    %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s0 = %zero, %s1 = %zero) -> (tensor<4096xf64>, tensor<4096xf64>) : i32 {
      %x = tt.load %a : tensor<4096x!tt.ptr<f16>>
      %y = arith.extf %x : tensor<4096xf16> to tensor<4096xf64>
      %t0 = arith.addf %s0, %y : tensor<4096xf64>
      %t1 = arith.mulf %s1, %y : tensor<4096xf64>
      scf.yield %t0, %t1 : tensor<4096xf64>, tensor<4096xf64>
    }
    %both = arith.addf %sums#0, %sums#1 : tensor<4096xf64>
    %sum = "tt.reduce"(%both) <{axis = 0 : i32}> ({
    ^bb0(%left: f64, %right: f64):
      %s = arith.addf %left, %right : f64
      tt.reduce.return %s : f64
    }) : (tensor<4096xf64>) -> f64
    tt.store %q, %sum : !tt.ptr<f64>
    tt.return
  }
}

// -----

// A thread would compute four exponentials one after another before the next iteration begins: each scheduler keeps a warp.
// CHECK: module attributes {"ttg.warp-limit" = 4 : i32}
// CHECK-LABEL: tt.func @recurrence(
module {
  tt.func @recurrence(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<128xf32>) : i32 {
      %d = arith.subf %s, %x : tensor<128xf32>
      %e = math.exp %d : tensor<128xf32>
      scf.yield %e : tensor<128xf32>
    }
    tt.store %a, %y : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// What is only added to the sum of the iteration before does not wait for long.
// CHECK: module attributes {"ttg.warp-limit" = 1 : i32}
// CHECK-LABEL: tt.func @sum(
module {
  tt.func @sum(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>>
    %e = math.exp %x : tensor<128xf32>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<128xf32>) : i32 {
      %d = arith.addf %s, %e : tensor<128xf32>
      scf.yield %d : tensor<128xf32>
    }
    tt.store %a, %y : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// Nor does what is rounded down: one instruction. A division that is correctly rounded is a function of many.
// CHECK: module attributes {"ttg.warp-limit" = 1 : i32}
// CHECK-LABEL: tt.func @rounded(
module {
  tt.func @rounded(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<128xf32>) : i32 {
      %e = math.floor %s : tensor<128xf32>
      scf.yield %e : tensor<128xf32>
    }
    tt.store %a, %y : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// CHECK: module attributes {"ttg.warp-limit" = 4 : i32}
// CHECK-LABEL: tt.func @divided(
module {
  tt.func @divided(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<128xf32>) : i32 {
      %e = tt.precise_divf %x, %s : tensor<128xf32>
      scf.yield %e : tensor<128xf32>
    }
    tt.store %a, %y : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// Iterations that wait for what those before combine of all threads: warps would wait for one another in each.
// CHECK: module attributes {"ttg.warp-limit" = 1 : i32}
// CHECK-LABEL: tt.func @substituted(
module {
  tt.func @substituted(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
    %t = tt.reshape %r : tensor<256xi32> -> tensor<16x16xi32>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
    %a = tt.addptr %b, %t : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %x = tt.load %a : tensor<16x16x!tt.ptr<f32>>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<16x16xf32>) : i32 {
      %d = "tt.reduce"(%s) <{axis = 0 : i32}> ({
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        tt.reduce.return %w : f32
      }) : (tensor<16x16xf32>) -> tensor<16xf32>
      %e = tt.expand_dims %d {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
      %f = tt.broadcast %e : tensor<1x16xf32> -> tensor<16x16xf32>
      %g = arith.subf %x, %f : tensor<16x16xf32>
      scf.yield %g : tensor<16x16xf32>
    }
    tt.store %a, %y : tensor<16x16x!tt.ptr<f32>>
    tt.return
  }
}
