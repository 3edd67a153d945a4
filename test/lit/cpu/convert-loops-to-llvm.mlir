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
