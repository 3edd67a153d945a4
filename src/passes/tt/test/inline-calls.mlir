// RUN: triton-opt --triton-inline-calls --symbol-dce --canonicalize %s | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: f32)
tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32) {
  // CHECK-NEXT: %[[DOUBLED:.*]] = arith.addf %[[X]], %[[X]] : f32
  %y = tt.call @double(%x) : (f32) -> f32
  // CHECK-NEXT: %[[KEPT:.*]] = tt.call @kept(%[[DOUBLED]]) : (f32) -> f32
  %z = tt.call @kept(%y) : (f32) -> f32
  // CHECK-NEXT: tt.store %[[P]], %[[KEPT]]
  tt.store %p, %z : !tt.ptr<f32>
  // CHECK-NEXT: tt.return
  tt.return
}

// A function that is used nowhere after inlining is removed.
// CHECK-NOT: @double
tt.func private @double(%x: f32) -> f32 attributes {noinline = false} {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// CHECK-LABEL: tt.func private @kept
tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  %y = arith.mulf %x, %x : f32
  tt.return %y : f32
}

// A function with an early return has several blocks; calls of calls are inlined too.
// CHECK-LABEL: tt.func public @several_blocks
tt.func public @several_blocks(%p: !tt.ptr<i32>, %c: i1) {
  // CHECK-NOT: tt.call
  // CHECK: tt.store
  %v = tt.call @outer(%c) : (i1) -> i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}
tt.func private @outer(%c: i1) -> i32 {
  %v = tt.call @early(%c) : (i1) -> i32
  tt.return %v : i32
}
tt.func private @early(%c: i1) -> i32 {
  %one = arith.constant 1 : i32
  cf.cond_br %c, ^then, ^else
^then:
  tt.return %one : i32
^else:
  %two = arith.constant 2 : i32
  tt.return %two : i32
}

// What a function assumes comes with it.
// CHECK-LABEL: tt.func public @assumes
// CHECK-NOT: tt.call
// CHECK: llvm.intr.assume
tt.func public @assumes(%p: !tt.ptr<i1>, %c: i1) {
  %v = tt.call @assuming(%c) : (i1) -> i1
  tt.store %p, %v : !tt.ptr<i1>
  tt.return
}
tt.func private @assuming(%c: i1) -> i1 {
  llvm.intr.assume %c : i1
  tt.return %c : i1
}

// Loops and branches take no code of several blocks, so that it is one first.
// CHECK-LABEL: tt.func public @in_a_loop
// CHECK-NOT: tt.call
// CHECK: scf.for
// CHECK: tt.store
tt.func public @in_a_loop(%p: !tt.ptr<i32>, %c: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.call @early(%c) : (i1) -> i32
    tt.store %p, %v : !tt.ptr<i32>
  }
  tt.return
}
