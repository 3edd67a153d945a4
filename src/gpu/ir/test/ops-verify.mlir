// What the dialect ttg refuses, and how it says so.
// RUN: triton-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{sizePerThread, threadsPerWarp, warpsPerCTA and order must have the same length}}
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>

// -----

// expected-error @below {{order must be a permutation of the dimensions}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 1]}>

// -----

// expected-error @below {{sizes must be powers of two}}
#blocked = #ttg.blocked<{sizePerThread = [3, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>

// -----

// expected-error @below {{the sizes of a dimension must multiply to at most 1073741824}}
#blocked = #ttg.blocked<{sizePerThread = [4, 2147483648], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>

// -----

// expected-error @below {{expected `order`, a list of integers}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1]}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @below {{dim is 2, the parent has rank 2}}
#slice = #ttg.slice<{dim = 2, parent = #blocked}>

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @below {{the parent of a slice must be an encoding of distributed tensors}}
#slice = #ttg.slice<{dim = 0, parent = #shared}>

// -----

// expected-error @below {{matrix units of version 5 are not known; 2 is mma.sync, 3 is wgmma}}
#mma = #ttg.nvidia_mma<{versionMajor = 5, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>

// -----

// expected-error @below {{instrShape must be the rows of a warp, which are 16, the columns and the depth of wgmma}}
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>

// -----

// expected-error @below {{warpsPerCTA must have two extents, the first a multiple of the 4 warps of a group}}
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8, 16]}>

// -----

// expected-error @below {{wgmma computes from 8 to 256 columns, a power of two, not 512}}
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 512, 16]}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @depths(%a: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>, %b: !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory>, %c: tensor<64x64xf32, #mma>) {
    // expected-error @below {{whose shapes do not give 'tensor<64x64xf32}}
    %0 = ttg.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory> * !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

// expected-error @below {{warpsPerCTA and instrShape must have the tensor's rank, at least 2}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4], instrShape = [16, 8]}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @below {{opIdx is 2, it must be 0 (A) or 1 (B)}}
#operand = #ttg.dot_op<{opIdx = 2, parent = #blocked}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @below {{kWidth belongs to operands of matrix units, and they need it}}
#operand = #ttg.dot_op<{opIdx = 0, parent = #blocked, kWidth = 2}>

// -----

// expected-error @below {{a basis has the component 4, which is not inside the shape}}
#linear = #ttg.linear<{shape = [4], register = [[1], [4]], lane = [], warp = [], block = []}>

// -----

// expected-error @below {{expected `lane`, a list of bases, each with one integer for each dimension}}
#linear = #ttg.linear<{shape = [4, 4], register = [[1, 0]], lane = [[1]], warp = [], block = []}>

// -----

// expected-error @below {{swizzlingByteWidth is 16, it must be 0, 32, 64 or 128}}
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 16, transposed = false, elementBitWidth = 16}>

// -----

// expected-error @below {{elementBitWidth is 4, it must be 8, 16, 32 or 64}}
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 4}>

// -----

// expected-error @below {{expected `transposed`, true or false}}
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = 1, elementBitWidth = 16}>

// -----

// expected-error @below {{fp4Padded needs swizzlingByteWidth 128 and elementBitWidth 8, not 64 and 8}}
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, fp4Padded = true}>

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// expected-error @below {{the encoding is for elements of 16 bits, 'f32' has 32}}
tt.func @width(%x: !ttg.memdesc<64x64xf32, #shared, #ttg.shared_memory>)

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// expected-error @below {{a block has 64 rows of 32 elements; the encoding needs at least 8 rows of 64}}
tt.func @narrow(%x: !ttg.memdesc<32x64xf16, #shared, #ttg.shared_memory>)

// -----

// expected-error @below {{rank is 1, it must be at least 2, or 1 where elements are neither swizzled nor transposed}}
#row = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 1}>

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
// expected-error @below {{a block has 4 rows of 64 elements; the encoding needs at least 8 rows of 64}}
tt.func @part(%x: !ttg.memdesc<8x64xf16, #shared, #ttg.shared_memory>)

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
tt.func @view(%x: !ttg.memdesc<32x64xf16, #shared, #ttg.shared_memory>) {
  // expected-error @below {{whose encoding does not follow}}
  %t = ttg.memdesc_trans %x {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf16, #shared, #ttg.shared_memory> -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
  tt.return
}

// -----

// expected-error @below {{the bases of CGALayout must be distinct powers of two in each dimension}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0], [1, 0]]}>

// -----

// expected-error @below {{the bases of CGALayout must reach every part of a dimension}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[2, 0]]}>

// -----

// expected-error @below {{a basis of CGALayout must be zero in all dimensions but one}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 1]]}>

// -----

// expected-error @below {{CGALayout has 5 bases; a cluster has at most 4}}
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1], [2], [4], [8], [16]]}>

// -----

// expected-error @below {{expected `CTAsPerCGA`, with CTASplitNum and CTAOrder, one integer for each dimension}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [2], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>

// -----

// expected-error @below {{expected `CTAsPerCGA`, powers of two, none below that of CTASplitNum}}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [2, 1], CTASplitNum = [2, 2], CTAOrder = [1, 0]}>

// -----

// expected-error @below {{vec, perPhase and maxPhase must be powers of two}}
#shared = #ttg.swizzled_shared<{vec = 6, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @below {{the encoding has rank 2, the tensor has rank 1}}
tt.func @rank(%x: tensor<64xf16, #blocked>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @below {{the extents of a tensor with a layout must be powers of two, not 48}}
tt.func @extent(%x: tensor<64x48xf16, #blocked>)

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @below {{a shared encoding belongs to buffers (!ttg.memdesc), not to tensors}}
tt.func @sharedTensor(%x: tensor<64x32xf16, #shared>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @below {{a buffer needs a shared encoding such as #ttg.swizzled_shared, not #ttg.blocked}}
tt.func @distributedBuffer(%x: !ttg.memdesc<64x32xf16, #blocked, #ttg.shared_memory>)

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @below {{the encoding has rank 2, the buffer has rank 1}}
tt.func @bufferRank(%x: !ttg.memdesc<64xf16, #shared, #ttg.shared_memory>)

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @below {{the memory space of a buffer must be #ttg.shared_memory}}
tt.func @space(%x: !ttg.memdesc<64x32xf16, #shared, 3 : i32>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @transfer(%x: tensor<32x32xf16, #blocked>) {
  // expected-error @below {{moves 'tensor<32x32xf16}}
  %0 = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @emptyBuffer() {
  // expected-error @below {{makes a buffer without contents, which must be mutable}}
  %0 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @constantBuffer(%x: tensor<64x32xf16, #blocked>) {
  %0 = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
  // expected-error @below {{writes to a buffer that is not mutable}}
  ttg.local_store %x, %0 : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @loadElement(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>) {
  // expected-error @below {{but shape and element must agree}}
  %0 = ttg.local_load %x : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory> -> tensor<64x32xf32, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @gatherColumns(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, %i: tensor<1x16xi32, #blocked>) {
  // expected-error @below {{but only dimension 0 may differ}}
  %0 = ttg.local_gather %x[%i] {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, tensor<1x16xi32, #blocked> -> tensor<1x16xf16, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @gatherElement(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, %i: tensor<1x32xi32, #blocked>) {
  // expected-error @below {{which are not}}
  %0 = ttg.local_gather %x[%i] {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, tensor<1x32xi32, #blocked> -> tensor<1x32xf32, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @gatherAxis(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, %i: tensor<64x32xi32, #blocked>) {
  // expected-error @below {{both must have the same rank, which is larger than that}}
  %0 = ttg.local_gather %x[%i] {axis = 2 : i32} : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, tensor<64x32xi32, #blocked> -> tensor<64x32xf16, #blocked>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @index(%x: !ttg.memdesc<4x64x32xf16, #shared, #ttg.shared_memory, mutable>, %i: i32) {
  // expected-error @below {{takes an element of the first dimension of}}
  %0 = ttg.memdesc_index %x[%i] : !ttg.memdesc<4x64x32xf16, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<32x64xf16, #shared, #ttg.shared_memory, mutable>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @transposed(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>) {
  // expected-error @below {{whose shape does not follow}}
  %0 = ttg.memdesc_trans %x {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory> -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @copy(%p: tensor<64x32x!tt.ptr<f32>, #blocked>, %b: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>) {
  // expected-error @below {{but shape and element must agree}}
  %0 = ttg.async_copy_global_to_local %p, %b : tensor<64x32x!tt.ptr<f32>, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @convert(%x: tensor<64x32xf16, #blocked>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #blocked>
  tt.return
}

// -----

// expected-error @below {{there can be at most 1024 warps}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2147483648, 2], instrShape = [16, 8]}>

// -----

// expected-error @below {{expected `warpsPerCTA`, a list of integers from 0 to 4294967295}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [-2147483648, 2], instrShape = [16, 8]}>

// -----

// expected-error @below {{expected `warpsPerCTA`, a list of integers from 0 to 4294967295}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4294967297, 1], instrShape = [16, 8]}>

// -----

// expected-error @below {{there can be at most 1024 warps}}
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [64, 64], instrShape = [32, 32, 8], isTransposed = true}>

// -----

// expected-error @below {{tilesPerWarp must have a power of two up to 1024 for each dimension}}
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, tilesPerWarp = [3, 1]}>

// -----

// expected-error @below {{expected `warpsPerCTA`, powers of two up to 1024}}
#wmma = #ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [3, 1], instrShape = [16, 16, 16]}>

// -----

// expected-error @below {{expected `warp`, a list of bases, each with one integer for each dimension}}
#wmma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[1]]}}>

// -----

// expected-error @below {{the tiles of matrix units have 2 or 3 dimensions, not 1000000000}}
#wmma = #ttg.amd_wmma<{version = 2, isTranspose = true, rank = 1000000000, ctaLayout = {warp = []}}>

// -----

// expected-error @below {{the numbers in ctaLayout must be from 0 to 1023}}
#wmma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 4096]]}}>

// -----

// expected-error @below {{a basis for registers of ctaLayout must be a power of two in one dimension, and differ from the others}}
#wmma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [[1, 1]], warp = [[0, 1]]}}>

// -----

// expected-error @below {{the bases of ctaLayout must reach every tile up to the last}}
#wmma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 2], [1, 0]]}}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// expected-error @below {{kWidth must be a power of two of at most 1024, not 2147483648}}
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2147483648}>

// -----

// expected-error @below {{vec, perPhase and maxPhase must be powers of two}}
#shared = #ttg.swizzled_shared<{vec = 2147483648, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @partOutside(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>) {
  // expected-error @below {{takes 32 of 64 elements from 48 on, but a part must lie inside}}
  %0 = ttg.memdesc_subslice %x[48, 0] : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory, mutable, 64x32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @partType(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>) {
  // expected-error @below {{takes a part of}}
  %0 = ttg.memdesc_subslice %x[0, 4] : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<64x4xf16, #shared, #ttg.shared_memory, mutable>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @partTooLarge(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>) {
  // expected-error @below {{a part of a buffer cannot have 64 of 32 elements}}
  %0 = ttg.memdesc_subslice %x[0, 0] : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable, 64x32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @partRank(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>) {
  // expected-error @below {{a part of a buffer has the dimensions of its encoding}}
  %0 = ttg.memdesc_subslice %x[0, 0] : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory, mutable, 2x64x32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @reinterpretLarger(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>) {
  // expected-error @below {{gives the 4096 bytes of}}
  %0 = ttg.memdesc_reinterpret %x : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<64x32xi32, #shared, #ttg.shared_memory, mutable>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @reinterpretPart(%x: !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory, mutable, 64x32>) {
  // expected-error @below {{takes and gives whole buffers}}
  %0 = ttg.memdesc_reinterpret %x : !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory, mutable, 64x32> -> !ttg.memdesc<8x8xf16, #shared, #ttg.shared_memory, mutable>
  tt.return
}

// -----

// expected-error @below {{intervals and paddings must be powers of two}}
#shared = #ttg.padded_shared<[128:+3] {order = [1, 0], shape = [8, 16]}>

// -----

// expected-error @below {{has two paddings for the interval 128}}
#shared = #ttg.padded_shared<[128:+4, 128:+8] {order = [1, 0], shape = [8, 16]}>

// -----

// expected-error @below {{expected `order`, a permutation of the dimensions of `shape`}}
#shared = #ttg.padded_shared<[128:+4] {order = [1, 1], shape = [8, 16]}>

// -----

// expected-error @below {{alignment must be a power of two, not 24}}
#shared = #ttg.shared_linear<{offset = [[1], [2]]}, alignment = 24>

// -----

#shared = #ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>
// expected-error @below {{the encoding is for buffers of 2 x 2 elements}}
tt.func private @otherExtents(!ttg.memdesc<4x2xf16, #shared, #ttg.shared_memory>)

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func @reshapedEncoding(%x: !ttg.memdesc<4x2xf16, #shared, #ttg.shared_memory>) {
  // expected-error @below {{whose encoding does not follow}}
  %0 = ttg.memdesc_reshape %x : !ttg.memdesc<4x2xf16, #shared, #ttg.shared_memory> -> !ttg.memdesc<8xf16, #line, #ttg.shared_memory>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @reshapedCount(%x: !ttg.memdesc<4x2xf16, #shared, #ttg.shared_memory>) {
  // expected-error @below {{another shape, which is not}}
  %0 = ttg.memdesc_reshape %x : !ttg.memdesc<4x2xf16, #shared, #ttg.shared_memory> -> !ttg.memdesc<4x4xf16, #shared, #ttg.shared_memory>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @scatterConstant(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, %i: tensor<1x32xi32, #blocked>, %v: tensor<1x32xf16, #blocked>) {
  // expected-error @below {{writes to a buffer that is not mutable}}
  ttg.local_scatter %x[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, tensor<1x32xi32, #blocked>, tensor<1x32xf16, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @scatterColumns(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>, %i: tensor<1x16xi32, #blocked>, %v: tensor<1x16xf16, #blocked>) {
  // expected-error @below {{writes elements of}}
  ttg.local_scatter %x[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory, mutable>, tensor<1x16xi32, #blocked>, tensor<1x16xf16, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @changeConstant(%x: !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, %i: tensor<1x32xi32, #blocked>, %v: tensor<1x32xf16, #blocked>) {
  // expected-error @below {{writes to a buffer that is not mutable}}
  ttg.local_atomic_scatter_rmw fadd, %x[%i], %v {axis = 0 : i32} : (!ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>, tensor<1x32xi32, #blocked>, tensor<1x32xf16, #blocked>) -> tensor<1x32xf16, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @changeColumns(%x: !ttg.memdesc<64x32xi32, #shared, #ttg.shared_memory, mutable>, %i: tensor<1x16xi32, #blocked>, %v: tensor<1x16xi32, #blocked>) {
  // expected-error @below {{changes elements of}}
  ttg.local_atomic_scatter_rmw add, %x[%i], %v {axis = 0 : i32} : (!ttg.memdesc<64x32xi32, #shared, #ttg.shared_memory, mutable>, tensor<1x16xi32, #blocked>, tensor<1x16xi32, #blocked>) -> tensor<1x16xi32, #blocked>
  tt.return
}

// -----

tt.func @partitionWarps() {
  // expected-error @below {{has 1 partitions, and numbers of warps or registers for others}}
  ttg.warp_specialize {
    ttg.warp_yield
  } partitions {
    ttg.warp_yield
  } {partitionRegisters = array<i32>, partitionWarps = array<i32: 4, 4>}
  tt.return
}

// -----

tt.func @threeWarps() {
  // expected-error @below {{has a partition whose number of warps is not a power of two}}
  ttg.warp_specialize {
    ttg.warp_yield
  } partitions {
    ttg.warp_yield
  } {partitionRegisters = array<i32>, partitionWarps = array<i32: 3>}
  tt.return
}

// -----

tt.func @widenedAlongAnAxisThatIsNot(%x: tensor<16x32xi8>) {
  // expected-error @below {{has the axis 2, but 'tensor<16x32xi8>' has 2 dimensions}}
  %y = ttg.fp4_to_fp %x {axis = 2 : i32} : tensor<16x32xi8> -> tensor<16x64xf16>
  tt.return
}

// -----

tt.func @widenedToAnotherShape(%x: tensor<16x32xi8>) {
  // expected-error @below {{makes elements of the shape 32, 32, not of 'tensor<16x64xf16>'}}
  %y = ttg.fp4_to_fp %x {axis = 0 : i32} : tensor<16x32xi8> -> tensor<16x64xf16>
  tt.return
}

// -----

tt.func @widenedToF32(%x: tensor<16xf8E5M2>, %s: tensor<16xbf16>) {
  // expected-error @below {{takes scales and makes elements of f16 or bf16, not of 'tensor<16xf32>'}}
  %y = ttg.fp8_to_fp %x scale %s : tensor<16xf8E5M2>, tensor<16xbf16> -> tensor<16xf32>
  tt.return
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!buffer = !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #bar, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @rowsOfLanes(%map: !tt.tensordesc<tensor<1x64xf16>>, %rows: tensor<32xi32, #lanes>, %c: i32, %buffer: !buffer, %bar: !barrier) {
  // expected-error @below {{needs in each thread the numbers of four rows that are neighbours in the buffer, equal in all threads of a warp}}
  ttg.async_mapped_load %map[%c] rows %rows, %buffer, %bar {byFirst} : !tt.tensordesc<tensor<1x64xf16>> -> !buffer, !barrier, tensor<32xi32, #lanes>
  tt.return
}
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#fours = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.slice<{dim = 0, parent = #fours}>
!buffer = !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @blocksOfRows(%map: !tt.tensordesc<tensor<8x64xf16>>, %rows: tensor<32xi32, #rows>, %c: i32, %buffer: !buffer, %base: !tt.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @below {{blocks must have one row, and buffers two dimensions}}
  ttg.async_mapped_store %buffer, %map[%c] rows %rows of %base, [%m, %m], [%s, %s] : !buffer -> !tt.tensordesc<tensor<8x64xf16>>, !tt.ptr<f16>, tensor<32xi32, #rows>
  tt.return
}
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#fours = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.slice<{dim = 0, parent = #fours}>
!buffer = !ttg.memdesc<32x64xf16, #tile, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @otherRows(%map: !tt.tensordesc<tensor<1x64xf16>>, %rows: tensor<16xi32, #rows>, %c: i32, %buffer: !buffer, %base: !tt.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @below {{has numbers of 16 rows, but the buffer, }}
  ttg.async_mapped_store %buffer, %map[%c] rows %rows of %base, [%m, %m], [%s, %s] : !buffer -> !tt.tensordesc<tensor<1x64xf16>>, !tt.ptr<f16>, tensor<16xi32, #rows>
  tt.return
}
}
