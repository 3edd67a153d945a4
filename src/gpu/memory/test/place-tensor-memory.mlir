// RUN: triton-opt --tritongpu-place-tensor-memory --split-input-file --verify-diagnostics %s | FileCheck %s

#row = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#half = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Two elements of 16 bits share a column; two blocks of 64 rows share their columns.
// CHECK-LABEL: tt.func public @places
tt.func public @places(%x: tensor<128x64xf32, #row>) {
  // CHECK: %[[ADDRESS:.*]] = ttng.tmem_reserve 512
  // CHECK: ttng.tmem_place %[[ADDRESS]], 0 : !ttg.memdesc<2x128x64xf32,
  %ring = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_place %[[ADDRESS]], 128 : !ttg.memdesc<128x64xf16,
  %packed = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_place %[[ADDRESS]], 160 : !ttg.memdesc<128x64xf32, #{{.*}}, #ttng.tensor_memory, mutable>
  %blocks = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #half, #ttng.tensor_memory, mutable>
  // CHECK: %[[WRITTEN:.*]] = ttng.tmem_place %[[ADDRESS]], 224
  // CHECK: ttng.tmem_store %{{.*}}, %[[WRITTEN]], %true
  // CHECK: ttng.tmem_place %[[ADDRESS]], 224 : !ttg.memdesc<128x64xf32, #{{.*}}, #ttng.tensor_memory>
  %m = ttng.tmem_alloc %x : (tensor<128x64xf32, #row>) -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory>
  // CHECK: ttng.tmem_release %[[ADDRESS]], 512
  // CHECK-NEXT: tt.return
  tt.return
}

// Threads meet between what they store and a product, which alone waits where it names no barrier.
// CHECK-LABEL: tt.func public @orders
tt.func public @orders(%x: tensor<128x64xf32, #row>, %p: i1) -> tensor<128x64xf32, #row> {
  %a = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK: ttng.tmem_reserve 64
  %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tmem_store
  ttng.tmem_store %x, %d, %p : tensor<128x64xf32, #row> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %[[BARRIER:.*]] = ttg.local_alloc
  // CHECK: ttg.init_barrier %[[BARRIER]] {count = 1 : i32, manual}
  // CHECK-NEXT: ttg.local_barrier {stays}
  // CHECK-NEXT: ttng.tc_gen5_mma {{.*}}, %[[BARRIER]][%{{.*}}] {is_async}
  // CHECK: ttg.wait_barrier %[[BARRIER]]
  // CHECK-NEXT: ttg.local_barrier {stays}
  // CHECK-NEXT: ttg.invalidate_barrier %[[BARRIER]]
  ttng.tc_gen5_mma %a, %b, %d, %p, %p : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %y = ttng.tmem_load %d : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #row>
  // The unit reads both as long as the program runs.
  // CHECK: ttg.local_dealloc
  // CHECK: ttg.local_dealloc
  // CHECK: ttng.tmem_release
  tt.return %y : tensor<128x64xf32, #row>
}

}

// -----

#pair = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @pairs() {
  // expected-error @below {{of which several blocks of a cluster have parts}}
  %0 = ttng.tmem_alloc : () -> !ttg.memdesc<256x64xf32, #pair, #ttng.tensor_memory, mutable>
  tt.return
}
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @too_many() {
  %0 = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x256xf32, #tmem, #ttng.tensor_memory, mutable>
  // expected-error @below {{the buffers of the kernel take 768 columns of tensor memory, and a program has 512}}
  %1 = ttng.tmem_alloc : () -> !ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
tt.func private @called() {
  // expected-error @below {{a function that is not inlined cannot allocate tensor memory}}
  %0 = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
