// RUN: triton-opt --tritongpu-move-invariants %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {

// What leaves the inner loop leaves the outer one too. Loads stay.
// CHECK-LABEL: tt.func @nested
tt.func @nested(%p: tensor<128x!tt.ptr<f32>, #blocked>, %x: tensor<128xf32, #blocked>, %n: i32) -> tensor<128xf32, #blocked> {
  // CHECK: arith.mulf
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tt.load
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %x) -> (tensor<128xf32, #blocked>) : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> (tensor<128xf32, #blocked>) : i32 {
      %square = arith.mulf %x, %x : tensor<128xf32, #blocked>
      %loaded = tt.load %p : tensor<128x!tt.ptr<f32>, #blocked>
      %sum = arith.addf %loaded, %square : tensor<128xf32, #blocked>
      %next = arith.addf %inner, %sum : tensor<128xf32, #blocked>
      scf.yield %next : tensor<128xf32, #blocked>
    }
    scf.yield %s : tensor<128xf32, #blocked>
  }
  tt.return %r : tensor<128xf32, #blocked>
}

// `disable_licm`
// CHECK-LABEL: tt.func @disabled
tt.func @disabled(%x: tensor<128xf32, #blocked>, %n: i32) -> tensor<128xf32, #blocked> {
  // CHECK: scf.for
  // CHECK-NEXT: arith.mulf
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<128xf32, #blocked>) : i32 {
    %square = arith.mulf %x, %x : tensor<128xf32, #blocked>
    %next = arith.addf %sum, %square : tensor<128xf32, #blocked>
    scf.yield %next : tensor<128xf32, #blocked>
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
  tt.return %r : tensor<128xf32, #blocked>
}

}
