// RUN: triton-opt --tritongpu-accelerate-matmul --tritongpu-remove-layout-conversions --tritongpu-reorder-instructions --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline --tritongpu-overlap-dots --remark-format=emitRemark --remarks-filter-passed=.* %s -o /dev/null 2>&1 | FileCheck %s

// What passes decide, with what they compared.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
!pointers = tensor<64x64x!tt.ptr<f16>, #blocked>
!tile = tensor<64x64xf16, #blocked>
!sum = tensor<64x64xf32, #blocked>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @product(%pa: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>},
                   %pb: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>},
                   %pc: tensor<64x64x!tt.ptr<f32>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %x = tt.load %pa : !pointers
      %y = tt.load %pb : !pointers
      %xa = ttg.convert_layout %x : !tile -> tensor<64x64xf16, #a>
      %yb = ttg.convert_layout %y : !tile -> tensor<64x64xf16, #b>
      // CHECK: [[#@LINE+1]]:12: remark: [Passed] Unit | Category:product | accumulator=f32, candidates="[{clocks = 1.280000e+02 : f64, column_warps = 1 : i64, exchange_clocks = 0.000000e+00 : f64, instruction = "wgmma m64n64k16", matrix_clocks = 1.280000e+02 : f64, row_warps = 4 : i64, shared_clocks = 1.280000e+02 : f64}, {clocks = 1.920000e+02 : f64, {{.*}}instruction = "wgmma m64n32k16",{{.*}}instruction = "mma.sync m16n8k16"{{.*}}, {clocks = 2.048000e+03 : f64, instruction = "ordinary units"}]", column_warps=1, encoding="#ttg.nvidia_mma<{{.*}}>", flops=524288, instruction="wgmma m64n64k16", k=64, left=f16, m=64, n=64, right=f16, row_warps=4, warps=4
      %d = tt.dot %xa, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> !sum
      scf.yield %d : !sum
    }
    // CHECK: remark: [Passed] Layout | Category:layout | candidates="[{clocks = {{.*}}, encoding = {{.*}}]", element=f32, encoding="#ttg.nvidia_mma<{{.*}}>", shape="[64, 64]"
    // CHECK: [[#@LINE-10]]:10: remark: [Passed] Pipeline | Category:loop | rings="[{load = loc({{.*}}), slot_bytes = 8192 : i64, slots = 3 : i64}, {load = loc({{.*}}), slot_bytes = 8192 : i64, slots = 3 : i64}]", stages=3
    // CHECK: [[#@LINE-5]]:12: remark: [Passed] Overlap | {{.*}}the product goes on while the program does what follows
    tt.store %pc, %r : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
