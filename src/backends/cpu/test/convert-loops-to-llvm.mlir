// RUN: triton-opt %s --cpu-convert-loops-to-llvm | FileCheck %s

// One conversion leaves only the llvm dialect.
// CHECK-LABEL: llvm.func @mixed(
// CHECK-NOT: arith.
// CHECK-NOT: vector.
// CHECK: llvm.return
func.func @mixed(%x: vector<16xf32>, %n: index) -> vector<16xf32> {
  %mask = vector.create_mask %n : vector<16xi1>
  %half = vector.extract_strided_slice %x {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
  %whole = vector.interleave %half, %half : vector<8xf32> -> vector<16xf32>
  %sum = arith.addf %x, %whole : vector<16xf32>
  %result = arith.select %mask, %sum, %x : vector<16xi1>, vector<16xf32>
  return %result : vector<16xf32>
}

// Floor division becomes truncating division with a correction.
// CHECK-LABEL: llvm.func @divide(
// CHECK: llvm.sdiv
// CHECK: llvm.intr.sqrt
func.func @divide(%a: i32, %b: i32, %x: vector<8xf64>) -> (i32, vector<8xf64>) {
  %q = arith.floordivsi %a, %b : i32
  %r = math.sqrt %x : vector<8xf64>
  return %q, %r : i32, vector<8xf64>
}

// A loop whose index could pass the end of its type tests whether there is a next one before it adds the step.
// CHECK-LABEL: llvm.func @steps(
// CHECK-SAME: %[[LOWER:.*]]: i32, %[[UPPER:.*]]: i32
// CHECK: %[[DIFFERENCE:.*]] = llvm.sub %[[UPPER]], %{{.*}} : i32
// CHECK: %[[LIMIT:.*]] = llvm.select %{{.*}}, %{{.*}}, %[[DIFFERENCE]] : i1, i32
// CHECK: llvm.icmp "slt" %[[LOWER]], %[[UPPER]] : i32
// CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[INDEX:.*]], %[[LIMIT]] : i32
// CHECK: llvm.add %[[INDEX]], %{{.*}} overflow<nsw> : i32
// CHECK: llvm.cond_br %[[MORE]]
func.func @steps(%lower: i32, %upper: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %sum = scf.for %i = %lower to %upper step %step iter_args(%s = %zero) -> i32 : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  return %sum : i32
}

// By ones, or to a constant that is far from the end, none is passed.
// CHECK-LABEL: llvm.func @ones(
// CHECK-NOT: llvm.select
// CHECK-NOT: overflow<nsw>
// CHECK: llvm.return
func.func @ones(%upper: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 16 : i32
  %end = arith.constant 4096 : i32
  %sum = scf.for %i = %zero to %upper step %one iter_args(%s = %zero) -> i32 : i32 {
    %inner = scf.for %j = %zero to %end step %step iter_args(%t = %s) -> i32 : i32 {
      %next = arith.addi %t, %j : i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  return %sum : i32
}
