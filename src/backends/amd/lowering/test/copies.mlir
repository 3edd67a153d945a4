// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

// A warp copies 1 KiB at once, from where each of its lanes says, to one place. The wait counts copies: one group of two
// may be in flight, whatever its number. A warp begins 1 KiB behind the one before.
#order = #ttg.linear<{shape = [32, 64], register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], warp = [[8, 32]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @copies
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[BEYOND:.*]] = llvm.mlir.constant(-2147483648 : i32)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(3954 : i32)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(3952 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.readlane"
// CHECK: llvm.select %{{.*}}, %{{.*}}, %[[BEYOND]]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load.lds"(%{{.*}}, %{{.*}}, %[[BYTES]], %{{.*}}) : (!llvm.ptr<8>, !llvm.ptr<3>, i32, i32, i32, i32, i32) -> ()
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load.lds"
// CHECK-NOT: raw.ptr.buffer
// CHECK: llvm.call_intrinsic "llvm.amdgcn.sched.barrier"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"(%[[TWO]])
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"(%[[NONE]])
tt.func public @copies(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  %row = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #order}>>
  %column = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #order}>>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #order}>> -> tensor<32x1xi32, #order>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #order}>> -> tensor<1x64xi32, #order>
  %pitch = arith.constant dense<64> : tensor<32x1xi32, #order>
  %starts = arith.muli %rows, %pitch : tensor<32x1xi32, #order>
  %i = tt.broadcast %starts : tensor<32x1xi32, #order> -> tensor<32x64xi32, #order>
  %j = tt.broadcast %columns : tensor<1x64xi32, #order> -> tensor<32x64xi32, #order>
  %offsets = arith.addi %i, %j : tensor<32x64xi32, #order>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #order>
  %p = tt.addptr %xs, %offsets : tensor<32x64x!tt.ptr<f16>, #order>, tensor<32x64xi32, #order>
  %n = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #order}>>
  %limit = arith.constant dense<20> : tensor<32xi32, #ttg.slice<{dim = 1, parent = #order}>>
  %below = arith.cmpi slt, %n, %limit : tensor<32xi32, #ttg.slice<{dim = 1, parent = #order}>>
  %belows = tt.expand_dims %below {axis = 1 : i32} : tensor<32xi1, #ttg.slice<{dim = 1, parent = #order}>> -> tensor<32x1xi1, #order>
  %masks = tt.broadcast %belows : tensor<32x1xi1, #order> -> tensor<32x64xi1, #order>
  %copy = ttg.async_copy_global_to_local %p, %buffer mask %masks : tensor<32x64x!tt.ptr<f16>, #order> -> <32x64xf16, #shared, #smem, mutable>
  %group = ttg.async_commit_group tokens %copy
  %one = ttg.async_wait %group {num = 1 : i32}
  %all = ttg.async_wait %group {num = 0 : i32}
  tt.return
}
}

// -----

// In an order that the lanes do not have in shared memory, what is copied goes through registers.
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @other_order
// CHECK-NOT: load.lds
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"
// CHECK: llvm.store
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"
tt.func public @other_order(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<8x64xf16, #shared, #smem, mutable>
  %column = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
  %j = tt.broadcast %columns : tensor<1x64xi32, #rows> -> tensor<8x64xi32, #rows>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<8x64x!tt.ptr<f16>, #rows>
  %p = tt.addptr %xs, %j : tensor<8x64x!tt.ptr<f16>, #rows>, tensor<8x64xi32, #rows>
  %copy = ttg.async_copy_global_to_local %p, %buffer : tensor<8x64x!tt.ptr<f16>, #rows> -> <8x64xf16, #shared, #smem, mutable>
  %group = ttg.async_commit_group tokens %copy
  %done = ttg.async_wait %group {num = 0 : i32}
  tt.return
}
}
