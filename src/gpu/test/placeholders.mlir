// Passes that need layouts refuse tensors whose layout tritongpu-resolve-layouts still has to find.
// RUN: triton-opt --tritongpu-report-work --verify-diagnostics %s
// RUN: triton-opt --tritongpu-remove-layout-conversions --verify-diagnostics %s
// RUN: triton-opt --tritongpu-insert-barriers --verify-diagnostics %s
// RUN: triton-opt --convert-triton-gpu-to-llvm --verify-diagnostics %s
// RUN: triton-opt --tritongpu-coalesce --verify-diagnostics %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @copy(%pointer: !tt.ptr<f16>) {
    // expected-error @below {{ttgir-1: 'tensor<64x!tt.ptr<f16>, #ttg.auto>' has no layout yet; tritongpu-resolve-layouts finds it}}
    %pointers = tt.splat %pointer : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #ttg.auto>
    %offsets = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.auto>
    %places = tt.addptr %pointers, %offsets : tensor<64x!tt.ptr<f16>, #ttg.auto>, tensor<64xi32, #ttg.auto>
    %block = tt.load %places : tensor<64x!tt.ptr<f16>, #ttg.auto>
    tt.store %places, %block : tensor<64x!tt.ptr<f16>, #ttg.auto>
    tt.return
  }
}
