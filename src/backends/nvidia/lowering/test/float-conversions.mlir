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

// -----

// Neighbours of 8 bits become mantissas together. Bytes of a word are taken from there.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @brain
// CHECK: %[[LOADED:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[LOADED]]
// CHECK: llvm.inline_asm asm_dialect = att "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n" %[[PAIR]]
// CHECK: llvm.inline_asm asm_dialect = att "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n" %[[PAIR]]
// CHECK: llvm.fsub {{.*}} : vector<2xbf16>
// CHECK: llvm.fsub {{.*}} : vector<2xbf16>
// CHECK-NOT: sitofp
// CHECK: llvm.return
tt.func public @brain(%p: tensor<128x!tt.ptr<i8>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = 128 : i32})
    -> tensor<128xbf16, #blocked> {
  %x = tt.load %p : tensor<128x!tt.ptr<i8>, #blocked>
  %0 = arith.sitofp %x : tensor<128xi8, #blocked> to tensor<128xbf16, #blocked>
  tt.return %0 : tensor<128xbf16, #blocked>
}

// CHECK-LABEL: @half
// CHECK-COUNT-2: llvm.fsub {{.*}} : vector<2xf16>
// CHECK-NOT: itofp
// CHECK: llvm.return
tt.func public @half(%x: tensor<128xi8, #blocked>) -> tensor<128xf16, #blocked> {
  %0 = arith.uitofp %x : tensor<128xi8, #blocked> to tensor<128xf16, #blocked>
  tt.return %0 : tensor<128xf16, #blocked>
}

// The mantissa of bf16 is too short for 8 bits without a sign. Equal values are converted once.
// CHECK-LABEL: @singly
// CHECK-COUNT-4: llvm.uitofp
// CHECK: llvm.sitofp
// CHECK-NOT: itofp
// CHECK: llvm.return
tt.func public @singly(%x: tensor<128xi8, #blocked>, %s: i8)
    -> (tensor<128xbf16, #blocked>, tensor<128xbf16, #blocked>) {
  %0 = arith.uitofp %x : tensor<128xi8, #blocked> to tensor<128xbf16, #blocked>
  %splat = tt.splat %s : i8 -> tensor<128xi8, #blocked>
  %1 = arith.sitofp %splat : tensor<128xi8, #blocked> to tensor<128xbf16, #blocked>
  tt.return %0, %1 : tensor<128xbf16, #blocked>, tensor<128xbf16, #blocked>
}
}

// -----

// Ampere does not subtract bf16.
// CHECK-LABEL: @older
// CHECK-COUNT-4: llvm.sitofp
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @older(%x: tensor<128xi8, #blocked>) -> tensor<128xbf16, #blocked> {
  %0 = arith.sitofp %x : tensor<128xi8, #blocked> to tensor<128xbf16, #blocked>
  tt.return %0 : tensor<128xbf16, #blocked>
}
}
