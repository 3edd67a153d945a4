// RUN: triton-opt %s --split-input-file --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: triton-opt %s --split-input-file --convert-triton-gpu-to-llvm=ptx-version=80 | FileCheck %s --check-prefix=OLD

// From sm_89 on, neighbours are converted together; a single last one is its own neighbour.
// OLD-NOT: call_intrinsic "llvm.nvvm.{{.*}}x2
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @encode
// CHECK-COUNT-2: "llvm.nvvm.ff.to.e4m3x2.rn"(%{{.*}}, %{{.*}}) : (f32, f32) -> i16
// CHECK-COUNT-2: "llvm.nvvm.f16x2.to.e5m2x2.rn"(%{{.*}}) : (vector<2xf16>) -> i16
// CHECK: "llvm.nvvm.ff.to.e5m2x2.rn"
// CHECK-NOT: x2
// CHECK: llvm.return
tt.func public @encode(%x: tensor<128xf32, #blocked>, %h: tensor<128xf16, #blocked>, %s: f32)
    -> (tensor<128xf8E4M3FN, #blocked>, tensor<128xf8E5M2, #blocked>, f8E5M2) {
  %0 = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32, #blocked> -> tensor<128xf8E4M3FN, #blocked>
  %1 = tt.fp_to_fp %h, rounding = rtne : tensor<128xf16, #blocked> -> tensor<128xf8E5M2, #blocked>
  %2 = tt.fp_to_fp %s, rounding = rtne : f32 -> f8E5M2
  tt.return %0, %1, %2 : tensor<128xf8E4M3FN, #blocked>, tensor<128xf8E5M2, #blocked>, f8E5M2
}

// CHECK-LABEL: @decode
// CHECK-COUNT-2: "llvm.nvvm.e4m3x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
// CHECK-COUNT-2: "llvm.nvvm.e5m2x2.to.f16x2.rn"
// CHECK-COUNT-4: llvm.fpext {{.*}} : f16 to f32
tt.func public @decode(%x: tensor<128xf8E4M3FN, #blocked>, %y: tensor<128xf8E5M2, #blocked>)
    -> (tensor<128xf16, #blocked>, tensor<128xf32, #blocked>) {
  %0 = tt.fp_to_fp %x : tensor<128xf8E4M3FN, #blocked> -> tensor<128xf16, #blocked>
  %1 = tt.fp_to_fp %y : tensor<128xf8E5M2, #blocked> -> tensor<128xf32, #blocked>
  tt.return %0, %1 : tensor<128xf16, #blocked>, tensor<128xf32, #blocked>
}

// Equal values are converted once. Rounding toward zero, and other formats, have no instruction.
// CHECK-LABEL: @others
// CHECK-COUNT-1: "llvm.nvvm.ff.to.e5m2x2.rn"
// CHECK-NOT: x2
// CHECK: llvm.return
tt.func public @others(%s: f32, %x: tensor<128xf32, #blocked>)
    -> (tensor<128xf8E5M2, #blocked>, tensor<128xf8E5M2, #blocked>, tensor<128xf8E4M3FNUZ, #blocked>) {
  %splat = tt.splat %s : f32 -> tensor<128xf32, #blocked>
  %0 = tt.fp_to_fp %splat, rounding = rtne : tensor<128xf32, #blocked> -> tensor<128xf8E5M2, #blocked>
  %1 = tt.fp_to_fp %x, rounding = rtz : tensor<128xf32, #blocked> -> tensor<128xf8E5M2, #blocked>
  %2 = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32, #blocked> -> tensor<128xf8E4M3FNUZ, #blocked>
  tt.return %0, %1, %2 : tensor<128xf8E5M2, #blocked>, tensor<128xf8E5M2, #blocked>, tensor<128xf8E4M3FNUZ, #blocked>
}

}

// -----

// CHECK-LABEL: @ampere
// CHECK-NOT: x2
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @ampere(%x: tensor<128xf32, #blocked>) -> tensor<128xf8E5M2, #blocked> {
  %0 = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32, #blocked> -> tensor<128xf8E5M2, #blocked>
  tt.return %0 : tensor<128xf8E5M2, #blocked>
}
}
