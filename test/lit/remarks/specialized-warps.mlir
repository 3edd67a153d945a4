// RUN: triton-opt --tritongpu-specialize-warps=num-stages=9 --verify-diagnostics --remark-format=emitRemark --remarks-filter=.* %s -o /dev/null

// Which loops get their blocks from a warp of its own, and that shared memory holds fewer of them than was asked for.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @product(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %m: i32, %k: i32, %p: tensor<128x128x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    // expected-remark @below {{the loop has 7 of 9 stages}}
    // expected-remark @below {{slot_bytes = 16384 : i64, slots = 7 : i64}]}}
    %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["arg:2", "arg:3"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
      %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = tt.mapped_load {base = "arg:1", block = array<i32: 128, 64>, name = "y", shape = ["arg:2", "arg:3"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
      %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
      %d = ttg.warp_group_dot %sa, %tb, %acc : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    tt.return
  }
}
