// RUN: triton-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{blockM is 32, it must be 64 or 128}}
#tmem = #ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1>

// -----

// expected-error @below {{blockN is 1024, it must be a power of two up to 512}}
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 1024, colStride = 1>

// -----

// expected-error @below {{expected `colStride`, an integer}}
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64>

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
// expected-error @below {{a block of the cluster has 64 rows of 64 elements; the encoding needs at least 128 rows of 64}}
tt.func @small(%m: !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>)

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @below {{a buffer in tensor memory needs #ttng.tensor_memory_encoding or #ttng.tensor_memory_scales_encoding}}
tt.func @encoding(%m: !ttg.memdesc<128x64xf32, #shared, #ttng.tensor_memory, mutable>)

// -----

// expected-error @below {{elements in tensor memory have 8 bits if they are scales, not the type 'f32'}}
tt.func @scales(%m: !ttg.memdesc<128x4xf32, #ttng.tensor_memory_scales_encoding<>, #ttng.tensor_memory, mutable>)

// -----

#row = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @load(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @below {{operand #0 must be buffer view}}
  %0 = ttg.local_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #row>
  tt.return
}

// -----

#row = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @reduced(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @below {{has a second tensor as its result where it has a `redOp`, and only there}}
  %0 = ttng.tmem_load %m {redOp = #ttng.redOp<min>} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #row>
  tt.return
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @part(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @below {{takes 32 of 64 elements from 48 on, but a part must lie inside}}
  %0 = ttng.tmem_subslice %m {offset = 48 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable, 128x64>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func @shapes(%a: !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory>, %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error @below {{whose shapes do not fit}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p : !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory>, !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
tt.func @pair(%a: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>, %d: !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error @below {{is shared by two blocks, but `twoCTAs` of its result says false}}
  ttng.tc_gen5_mma %a, %a, %d, %p, %p {two_ctas} : !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>, !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>, !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// -----

#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#tmem_scales = #ttng.tensor_memory_scales_encoding<>
tt.func @scaled(%a: !ttg.memdesc<128x128xf8E4M3FN, #bytes, #ttg.shared_memory>, %d: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, %s: !ttg.memdesc<128x16xi8, #tmem_scales, #ttng.tensor_memory, mutable>, %p: i1) {
  // expected-error @below {{for 128 rows of 128 elements, but a scale is for 16 or 32 elements of a row}}
  ttng.tc_gen5_mma_scaled %a, %a, %d, %s, %s, %p, %p lhs = e4m3 rhs = e4m3 : !ttg.memdesc<128x128xf8E4M3FN, #bytes, #ttg.shared_memory>, !ttg.memdesc<128x128xf8E4M3FN, #bytes, #ttg.shared_memory>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x16xi8, #tmem_scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x16xi8, #tmem_scales, #ttng.tensor_memory, mutable>
  tt.return
}

// -----

#tmem_scales = #ttng.tensor_memory_scales_encoding<>
// expected-error @below {{the extents of a part must be powers of two, not 0}}
tt.func @nothing(%s: !ttg.memdesc<128x0xi8, #tmem_scales, #ttng.tensor_memory, mutable, 128x16>) {
  tt.return
}
