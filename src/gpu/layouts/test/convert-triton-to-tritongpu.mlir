// RUN: triton-opt --convert-triton-to-tritongpu="target=cuda:80 num-warps=2" %s | FileCheck %s

// CHECK-DAG: #[[$LINE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
// CHECK-DAG: #[[$TALL:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [1, 0]}>
// CHECK-DAG: #[[$PAIRS:.*]] = #ttg.linear<{shape = [64, 2], register = {{\[}}[0, 1]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[}}[32, 0]], block = []}>
// CHECK-DAG: #[[$PLANES:.*]] = #ttg.linear<{shape = [4, 32, 2], register = {{\[}}[0, 0, 1], [2, 0, 0]], lane
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}

// Where an operation dictates a layout, a conversion stands between.
// CHECK-LABEL: tt.func @shapes
tt.func @shapes(%p: !tt.ptr<f32>) {
  // CHECK: %[[R:.*]] = tt.make_range {{.*}} : tensor<128xi32, #[[$LINE]]>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  // CHECK: %[[C:.*]] = ttg.convert_layout %[[R]] : {{.*}} -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #[[$TALL]]}>>
  // CHECK: tt.expand_dims %[[C]] {{.*}} -> tensor<128x1xi32, #[[$TALL]]>
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK: arith.constant dense<0> : tensor<128x1xi32, #[[$TALL]]>
  %z = arith.constant dense<0> : tensor<128x1xi32>
  %s = arith.addi %e, %z : tensor<128x1xi32>
  tt.return
}

// CHECK-LABEL: tt.func @product
tt.func @product(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // CHECK: tt.dot {{.*}} #ttg.dot_op<{opIdx = 0, parent = #{{[a-z0-9]+}}}>> * {{.*}} #ttg.dot_op<{opIdx = 1,
  %d = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// Both elements of a pair lie in one thread, whatever the rank.
// CHECK-LABEL: tt.func @pairs
tt.func @pairs(%x: tensor<64xf32>, %m: tensor<4x32xf32>) {
  // CHECK: tt.join {{.*}} -> tensor<64x2xf32, #[[$PAIRS]]>
  %pairs = tt.join %x, %x : tensor<64xf32> -> tensor<64x2xf32>
  // CHECK: tt.join {{.*}} -> tensor<4x32x2xf32, #[[$PLANES]]>
  %planes = tt.join %m, %m : tensor<4x32xf32> -> tensor<4x32x2xf32>
  // CHECK: %[[P:.*]] = ttg.convert_layout {{.*}} -> tensor<64x2xf32, #[[$PAIRS]]>
  // CHECK: tt.split %[[P]]
  %a, %b = tt.split %pairs : tensor<64x2xf32> -> tensor<64xf32>
  tt.return
}
