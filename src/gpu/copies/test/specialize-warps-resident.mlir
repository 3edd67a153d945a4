// RUN: triton-opt --split-input-file --tritongpu-specialize-warps %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// Rings of 96 KiB and sums in 64 registers of a thread: two programs share a multiprocessor. One warp moves data, and no
// registers are handed over.
// CHECK: module attributes {ttg.launch_warps = 9 : i32, {{.*}}ttg.resident_programs = 2 : i32
// CHECK-LABEL: tt.func public @small
// CHECK-NOT: ttg.set_registers
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @small(%x: !tt.ptr<f16>, %k: i32, %p: tensor<128x128x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%j, %c0] : tensor<128x64xf16, #blocked>
      %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
      %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
      %d = ttg.warp_group_dot %sa, %tb, %acc : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    } {tt.num_stages = 3 : i32}
    tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// Two products, of which the second adds to what the loop carries, and an operand in registers: 160 of them.
// CHECK: module attributes {ttg.launch_warps = 12 : i32
// CHECK-NOT: ttg.resident_programs
// CHECK-LABEL: tt.func public @large
// CHECK: ttg.set_registers 40
// CHECK: ttg.set_registers 232 {raises}
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @large(%x: !tt.ptr<f16>, %k: i32, %p: tensor<128x128x!tt.ptr<f32>, #mma>, %q: tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %b = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
      %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
      %s = ttg.warp_group_dot %q, %tb, %zero : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      %d = arith.addf %s, %acc : tensor<128x128xf32, #mma>
      %e = ttg.warp_group_dot %q, %tb, %d : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %e : tensor<128x128xf32, #mma>
    } {tt.num_stages = 2 : i32}
    tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 16, 16]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// Attention with blocks of 128 x 16 and 128 elements carries 68 registers, and needs 8 and 4 more: it would spill.
// CHECK: module attributes {ttg.launch_warps = 12 : i32
// CHECK-NOT: ttg.resident_programs
// CHECK-LABEL: tt.func public @rescaled
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @rescaled(%x: !tt.ptr<f16>, %k: i32, %p: tensor<128x128x!tt.ptr<f32>, #mma1>, %q: !ttg.memdesc<128x64xf16, #shared, #smem>, %m: tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x16xf32, #mma>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32, #mma1>
    %sum:3 = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zeros, %l = %m, %n = %m) -> (tensor<128x128xf32, #mma1>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>) : i32 {
      %b = tt.mapped_load {base = "arg:0", block = array<i32: 16, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%j, %c0] : tensor<16x64xf16, #blocked>
      %sb = ttg.local_alloc %b : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
      %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<16x64xf16, #shared, #smem> -> !ttg.memdesc<64x16xf16, #shared1, #smem>
      %s = ttg.warp_group_dot %q, %tb, %zero : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x16xf16, #shared1, #smem> -> tensor<128x16xf32, #mma>
      %h = arith.truncf %s : tensor<128x16xf32, #mma> to tensor<128x16xf16, #mma>
      %o = ttg.convert_layout %h : tensor<128x16xf16, #mma> -> tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 2}>>
      %v = tt.mapped_load {base = "arg:0", block = array<i32: 16, 128>, name = "x", shape = ["const:128", "const:128"], strides = ["const:128"]} [%j, %c0] : tensor<16x128xf16, #blocked>
      %sv = ttg.local_alloc %v : (tensor<16x128xf16, #blocked>) -> !ttg.memdesc<16x128xf16, #shared, #smem>
      %d = ttg.warp_group_dot %o, %sv, %acc : tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 2}>> * !ttg.memdesc<16x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma1>
      %l1 = arith.addf %l, %m : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>
      %n1 = arith.addf %n, %m : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>
      scf.yield %d, %l1, %n1 : tensor<128x128xf32, #mma1>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma1}>>
    } {tt.num_stages = 2 : i32}
    tt.store %p, %sum#0 : tensor<128x128x!tt.ptr<f32>, #mma1>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// Two iterations need two slots. A loop around them goes on with blocks of its next iteration.
// CHECK-LABEL: tt.func public @few
// CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16
// CHECK-LABEL: tt.func public @again
// CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<3x128x64xf16
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @few(%x: !tt.ptr<f16>, %p: tensor<128x128x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant 2 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%j, %c0] : tensor<128x64xf16, #blocked>
      %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
      %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
      %d = ttg.warp_group_dot %sa, %tb, %acc : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    } {tt.num_stages = 3 : i32}
    tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    tt.return
  }
  tt.func public @again(%x: !tt.ptr<f16>, %p: tensor<128x128x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant 2 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    scf.for %n = %c0 to %k step %c1 : i32 {
      %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
        %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%j, %c0] : tensor<128x64xf16, #blocked>
        %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
        %b = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%c0, %j] : tensor<128x64xf16, #blocked>
        %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
        %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
        %d = ttg.warp_group_dot %sa, %tb, %acc : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
        scf.yield %d : tensor<128x128xf32, #mma>
      } {tt.num_stages = 3 : i32}
      tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    }
    tt.return
  }
}
