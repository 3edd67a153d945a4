// RUN: triton-opt --convert-triton-to-tritongpu="target=cuda:80 num-warps=2" %s -o %t.once
// RUN: triton-opt --convert-triton-to-tritongpu="target=cuda:90 num-warps=8" %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s --input-file %t.twice

// A module in dialect ttg stays as it is, whatever the options.
// CHECK: "ttg.num-warps" = 2 : i32, ttg.target = "cuda:80"
tt.func @column(%p: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  // CHECK-COUNT-1: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  tt.return
}
