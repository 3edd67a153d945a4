// RUN: triton-opt --tritongpu-order-copies --split-input-file %s | FileCheck %s
// RUN: triton-opt --tritongpu-order-copies --tritongpu-remove-layout-conversions --tritongpu-optimize-dot-operands --canonicalize --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --split-input-file %s | FileCheck %s --check-prefix=PIPELINED

// Lanes hold the vectors of a row in the order of the swizzle: rows 2 and 3 begin with the second one.
// CHECK: #[[$ORDER:.*]] = #ttg.linear<{shape = [64, 64], register = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], warp = {{\[\[}}8, 32], [16, 0]], block = []}>
// CHECK-LABEL: tt.func @operands
// Rows of 8 bytes are too short: that load goes through registers.
// PIPELINED-LABEL: tt.func @operands
// PIPELINED: scf.for
// PIPELINED-NOT: ttg.async_copy_global_to_local
// PIPELINED: tt.load
// PIPELINED: ttg.async_copy_global_to_local %{{.*}} mask %{{.*}} : tensor<64x64x!tt.ptr<f16>, #linear>
// PIPELINED-NOT: ttg.async_copy_global_to_local
// PIPELINED: scf.yield
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [16, 16, 32], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {
  tt.func @operands(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32},
                    %b: !tt.ptr<f16> {tt.divisibility = 8 : i32, tt.pointer_range = 32 : i32}, %n: i32 {tt.nonnegative}) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %row = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %column = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
    %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %pitch = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %starts = arith.muli %rows, %pitch : tensor<64x1xi32, #rows>
    %i = tt.broadcast %starts : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %j = tt.broadcast %columns : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %offsets = arith.addi %i, %j : tensor<64x64xi32, #rows>
    %pas = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    %pbs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    %pa = tt.addptr %pas, %offsets : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
    %pb = tt.addptr %pbs, %offsets : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[$ORDER]]>
      %x = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #rows>
      // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #{{blocked[0-9]*}}>
      %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #rows>
      %xa = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
      %yb = ttg.convert_layout %y : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %yb, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
