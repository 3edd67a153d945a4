// Tensor maps are parameters by value; the threads of a kernel are those that a launch starts.
// RUN: triton-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func ptx_kernelcc @maps
// CHECK-SAME: (%{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i32,
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>},
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>})
// CHECK-SAME: ["nvvm.reqntid", "160"]
// CHECK: llvm.return
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.launch_warps = 5 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @maps(%x: !tt.ptr<f16>, %n: i32,
    %a: !tt.tensordesc<64x32xf16> {ttg.tensor_map = {name = "x", base = "arg:0", shape = ["arg:1", "const:64"], strides = ["const:64"], box = array<i32: 64, 32>, swizzle = 64 : i32}},
    %b: !tt.tensordesc<64xf16> {ttg.tensor_map = {name = "x", base = "arg:0", shape = ["arg:1"], strides = [], box = array<i32: 64>, swizzle = 0 : i32, nan}}) {
  tt.return
}
}
