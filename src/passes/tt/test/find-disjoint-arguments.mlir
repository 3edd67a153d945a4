// RUN: triton-opt %s --triton-find-disjoint-arguments | FileCheck %s

// A loop stores through one argument and loads through others: only pairs with the stored one matter.
// CHECK-LABEL: tt.func @stored(
// CHECK-NOT: tt.storage
// CHECK: attributes {tt.disjoint_pairs = array<i32: 2, 0, 2, 1>}
tt.func @stored(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.storage = 0 : i32}, %b: !tt.ptr<f32> {tt.storage = 1 : i32},
                %c: !tt.ptr<f32> {tt.storage = 2 : i32}, %unused: !tt.ptr<f32> {tt.storage = 3 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %p = tt.addptr %a, %i : !tt.ptr<f32>, i32
    %q = tt.addptr %b, %i : !tt.ptr<f32>, i32
    %r = tt.addptr %c, %i : !tt.ptr<f32>, i32
    %x = tt.load %p : !tt.ptr<f32>
    %y = tt.load %q : !tt.ptr<f32>
    %z = arith.addf %x, %y : f32
    tt.store %r, %z : !tt.ptr<f32>
  }
  tt.return
}

// The same storage, and a pointer of which nothing is known, are not in the list; nor is what is stored after the loop.
// CHECK-LABEL: tt.func @shared(
// CHECK-SAME: attributes {tt.disjoint_pairs = array<i32: 1, 3>}
tt.func @shared(%a: !tt.ptr<f32> {tt.storage = 7 : i32}, %b: !tt.ptr<f32> {tt.storage = 7 : i32}, %c: !tt.ptr<f32>,
                %d: !tt.ptr<f32> {tt.storage = 8 : i32}, %e: !tt.ptr<f32> {tt.storage = 9 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> (!tt.ptr<f32>) : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %y = tt.load %c : !tt.ptr<f32>
    %z = tt.load %d : !tt.ptr<f32>
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %z : f32
    tt.store %b, %t : !tt.ptr<f32>
    %next = tt.addptr %p, %one : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  }
  %v = tt.load %sum : !tt.ptr<f32>
  tt.store %e, %v : !tt.ptr<f32>
  tt.return
}

// Loops inside of a loop belong to it; nothing is said of kernels of whose arguments nothing is known.
// CHECK-LABEL: tt.func @nested(
// CHECK-SAME: attributes {tt.disjoint_pairs = array<i32: 1, 0>}
tt.func @nested(%a: !tt.ptr<f32> {tt.storage = 0 : i32}, %b: !tt.ptr<f32> {tt.storage = 1 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  scf.for %i = %zero to %n step %one : i32 {
    %s = scf.for %j = %zero to %n step %one iter_args(%sum = %start) -> (f32) : i32 {
      %x = tt.load %a : !tt.ptr<f32>
      %next = arith.addf %sum, %x : f32
      scf.yield %next : f32
    }
    tt.store %b, %s : !tt.ptr<f32>
  }
  tt.return
}

// CHECK-LABEL: tt.func @unknown(
// CHECK-NOT: tt.disjoint_pairs
tt.func @unknown(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %x = tt.load %a : !tt.ptr<f32>
    tt.store %b, %x : !tt.ptr<f32>
  }
  tt.return
}

// Threads that meet in the loop may tell each other of all that the kernel writes.
// CHECK-LABEL: tt.func @meeting(
// CHECK-SAME: attributes {tt.disjoint_pairs = array<i32: 1, 0>}
tt.func @meeting(%a: !tt.ptr<f32> {tt.storage = 0 : i32}, %b: !tt.ptr<f32> {tt.storage = 1 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %s = scf.for %i = %zero to %n step %one iter_args(%sum = %start) -> (f32) : i32 {
    %x = tt.load %a : !tt.ptr<f32>
    gpu.barrier
    %next = arith.addf %sum, %x : f32
    scf.yield %next : f32
  }
  tt.store %b, %s : !tt.ptr<f32>
  tt.return
}
