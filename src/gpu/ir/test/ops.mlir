// Every operation, attribute and type of the dialect ttg reads and prints as it is written.
// RUN: triton-opt %s | triton-opt | FileCheck %s
// RUN: triton-opt %s --mlir-print-op-generic | triton-opt | FileCheck %s

// CHECK-DAG: #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-DAG: #linear = #ttg.linear<{shape = [4, 32], register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 0], [0, 0]], block = []}>
#linear = #ttg.linear<{shape = [4, 32], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 0], [0, 0]], block = []}>
// CHECK-DAG: #shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: #shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>
#transposed = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>
// CHECK-DAG: #shared2 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 2}>
// CHECK-DAG: #shared3 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#nvmma_transposed = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16, fp4Padded = false}>
// CHECK-DAG: #blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[}}1, 0], [0, 0]]}>
#cluster = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], CTAOrder = [0, 1]}>
// CHECK-DAG: #mma1 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8], CGALayout = {{\[\[}}0, 1], [1, 0]]}>
#mma_cluster = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8], CGALayout = [[0, 1], [1, 0]]}>
// CHECK-DAG: #shared4 = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], CGALayout = {{\[\[}}1, 0]]}>
#shared_cluster = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>
// CHECK-DAG: #shared5 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 3, CGALayout = {{\[\[}}0, 1, 0]]}>
#nvmma_cluster = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 3, CGALayout = [[0, 1, 0]]}>
// CHECK-DAG: #mma2 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#groups = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[$TILES:mma[0-9]*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true, tilesPerWarp = [2, 2]}>
#tiles = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true, tilesPerWarp = [2, 2]}>
// CHECK-DAG: #[[$SINGLE:mma[0-9]*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true}>
#single_tiles = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true, tilesPerWarp = [1, 1]}>
// CHECK-DAG: #[[$BASES:mma[0-9]*]] = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = {{\[\[}}0, 1]], warp = {{\[\[}}1, 0], [0, 2]]}, instrShape = [16, 16, 32]}>
#bases = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [[0, 1]], warp = [[1, 0], [0, 2]]}, instrShape = [16, 16, 32]}>
// CHECK-DAG: #[[$NUMBERS:mma[0-9]*]] = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}, instrShape = [16, 16, 16]}>
#numbers = #ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 2]}>
#smem = #ttg.shared_memory

// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: tt.func @conversions
tt.func @conversions(%x: tensor<64x32xf16, #blocked>, %y: tensor<4x32xf32, #blocked>) {
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #mma>
  %0 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #mma>
  // CHECK: ttg.convert_layout %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  %1 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  // CHECK: ttg.convert_layout %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>
  %2 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>
  // CHECK: ttg.convert_layout %{{.*}} -> tensor<4x32xf32, #linear>
  %3 = ttg.convert_layout %y : tensor<4x32xf32, #blocked> -> tensor<4x32xf32, #linear>
  tt.return
}

// CHECK-LABEL: tt.func @slices
// CHECK-SAME: tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>
// CHECK-SAME: tensor<64xf16, #ttg.slice<{dim = 0, parent = #mma}>>
tt.func @slices(%x: tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>, %y: tensor<64xf16, #ttg.slice<{dim = 0, parent = #mma}>>) {
  tt.return
}

// CHECK-LABEL: tt.func @buffers
tt.func @buffers(%x: tensor<64x32xf16, #blocked>, %i: i32, %indices: tensor<1x32xi32, #blocked>) -> tensor<64x32xf16, #blocked> {
  // CHECK: %[[FILLED:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  %filled = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  // CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
  // CHECK: %[[SLOT:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}] : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  // CHECK: ttg.local_store %{{.*}}, %[[SLOT]] : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  ttg.local_store %x, %slot : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  // CHECK: ttg.local_barrier
  ttg.local_barrier
  // CHECK: ttg.local_load %[[SLOT]] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
  %y = ttg.local_load %slot : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
  // CHECK: ttg.local_gather %[[FILLED]][%{{.*}}] {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<1x32xi32, #blocked> -> tensor<1x32xf16, #blocked>
  %row = ttg.local_gather %filled[%indices] {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<1x32xi32, #blocked> -> tensor<1x32xf16, #blocked>
  // CHECK: ttg.memdesc_trans %[[FILLED]] {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<32x64xf16, #shared1, #smem>
  %t = ttg.memdesc_trans %filled {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<32x64xf16, #transposed, #smem>
  // CHECK: %[[PART:.*]] = ttg.memdesc_subslice %[[SLOT]][32, 0] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable, 64x32>
  %part = ttg.memdesc_subslice %slot[32, 0] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable, 64x32>
  // CHECK: ttg.memdesc_subslice %[[FILLED]][16, 0] : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<16x32xf16, #shared, #smem, 64x32>
  %rows = ttg.memdesc_subslice %filled[16, 0] : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<16x32xf16, #shared, #smem, 64x32>
  // CHECK: ttg.memdesc_reinterpret %[[SLOT]] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
  %words = ttg.memdesc_reinterpret %slot : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
  // CHECK: ttg.local_scatter %[[SLOT]][%{{.*}}], %{{.*}} {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<1x32xi32, #blocked>, tensor<1x32xf16, #blocked>
  ttg.local_scatter %slot[%indices], %row {axis = 0 : i32} : !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<1x32xi32, #blocked>, tensor<1x32xf16, #blocked>
  // CHECK: ttg.local_atomic_scatter_rmw fadd, %[[SLOT]][%{{.*}}], %{{.*}} {axis = 0 : i32} : (!ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<1x32xi32, #blocked>, tensor<1x32xf16, #blocked>) -> tensor<1x32xf16, #blocked>
  %before = ttg.local_atomic_scatter_rmw fadd, %slot[%indices], %row {axis = 0 : i32} : (!ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<1x32xi32, #blocked>, tensor<1x32xf16, #blocked>) -> tensor<1x32xf16, #blocked>
  // CHECK: ttg.inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", pure = true} %{{.*}}, %[[SLOT]] : (i32, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>) -> i32
  %sum = ttg.inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", pure = true} %i, %slot : (i32, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>) -> i32
  // CHECK: ttg.local_dealloc %[[RING]] : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
  ttg.local_dealloc %ring : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
  tt.return %y : tensor<64x32xf16, #blocked>
}

// CHECK-LABEL: tt.func @copies
tt.func @copies(%p: tensor<64x32x!tt.ptr<f16>, #blocked>, %mask: tensor<64x32xi1, #blocked>, %other: tensor<64x32xf16, #blocked>) -> tensor<64x32xf16, #blocked> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  // CHECK: %[[PLAIN:.*]] = ttg.async_copy_global_to_local %{{.*}}, %[[BUFFER:.*]] : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
  %plain = ttg.async_copy_global_to_local %p, %buffer : tensor<64x32x!tt.ptr<f16>, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  // CHECK: %[[FULL:.*]] = ttg.async_copy_global_to_local %{{.*}}, %[[BUFFER]] mask %{{.*}} other %{{.*}} cacheModifier = cg evictionPolicy = evict_last
  %full = ttg.async_copy_global_to_local %p, %buffer mask %mask other %other cacheModifier = cg evictionPolicy = evict_last : tensor<64x32x!tt.ptr<f16>, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  // CHECK: %[[GROUP:.*]] = ttg.async_commit_group tokens %[[PLAIN]], %[[FULL]]
  %group = ttg.async_commit_group tokens %plain, %full
  // CHECK: ttg.async_commit_group
  %empty = ttg.async_commit_group
  // CHECK: %[[DONE:.*]] = ttg.async_wait %[[GROUP]] {num = 1 : i32}
  %done = ttg.async_wait %group {num = 1 : i32}
  // CHECK: ttg.local_load %{{.*}} token %[[DONE]]
  %x = ttg.local_load %buffer token %done : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
  tt.return %x : tensor<64x32xf16, #blocked>
}

// CHECK-LABEL: tt.func @forMatrixUnits
tt.func @forMatrixUnits(%x: tensor<64x32xf16, #blocked>) -> tensor<32x64xf16, #blocked> {
  // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x32xf16, #shared2, #smem>
  %b = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #nvmma, #smem>
  // CHECK: ttg.memdesc_trans %{{.*}} -> !ttg.memdesc<32x64xf16, #shared3, #smem>
  %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #nvmma, #smem> -> !ttg.memdesc<32x64xf16, #nvmma_transposed, #smem>
  %r = ttg.local_load %t : !ttg.memdesc<32x64xf16, #nvmma_transposed, #smem> -> tensor<32x64xf16, #blocked>
  tt.return %r : tensor<32x64xf16, #blocked>
}

// CHECK-LABEL: tt.func private @clusters
// CHECK-SAME: tensor<64x32xf16, #blocked1>
// CHECK-SAME: tensor<64x32xf32, #mma1>
// CHECK-SAME: !ttg.memdesc<64x32xf16, #shared4, #smem>
// CHECK-SAME: !ttg.memdesc<2x64x32xf16, #shared5, #smem>
tt.func private @clusters(%x: tensor<64x32xf16, #cluster>, %y: tensor<64x32xf32, #mma_cluster>,
                          %z: !ttg.memdesc<64x32xf16, #shared_cluster, #smem>,
                          %w: !ttg.memdesc<2x64x32xf16, #nvmma_cluster, #smem>)

}

// CHECK-LABEL: tt.func @groupProduct
tt.func @groupProduct(%a: !ttg.memdesc<64x32xf16, #nvmma, #smem>, %b: !ttg.memdesc<32x64xf16, #nvmma_transposed, #smem>, %c: tensor<64x64xf32, #groups>, %adds: i1) {
  // CHECK: ttg.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} {isAsync = true} : !ttg.memdesc
  %d = ttg.warp_group_dot %a, %b, %c if %adds {isAsync = true}
    : !ttg.memdesc<64x32xf16, #nvmma, #smem> * !ttg.memdesc<32x64xf16, #nvmma_transposed, #smem> -> tensor<64x64xf32, #groups>
  tt.return
}

// CHECK-LABEL: tt.func @otherShapes
tt.func @otherShapes(%m: !ttg.memdesc<2x64x32xf16, #nvmma, #smem, mutable>,
                     %p: !ttg.memdesc<8x16xf16, #ttg.padded_shared<[128:+4, 8:+8] {order = [1, 0], shape = [8, 16]}>, #smem>,
                     %l: !ttg.memdesc<4x2xf16, #ttg.shared_linear<{offset = [[1, 0], [0, 1], [2, 0]]}, alignment = 32>, #smem>) {
  // CHECK: ttg.memdesc_reshape %{{.*}} : !ttg.memdesc<2x64x32xf16, #[[UNIT:.*]], #smem, mutable> -> !ttg.memdesc<128x32xf16, #[[UNIT]], #smem, mutable>
  %0 = ttg.memdesc_reshape %m : !ttg.memdesc<2x64x32xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<128x32xf16, #nvmma, #smem, mutable>
  // CHECK: ttg.memdesc_reshape
  %1 = ttg.memdesc_reshape %p : !ttg.memdesc<8x16xf16, #ttg.padded_shared<[128:+4, 8:+8] {order = [1, 0], shape = [8, 16]}>, #smem>
    -> !ttg.memdesc<128xf16, #ttg.padded_shared<[128:+4, 8:+8] {order = [0], shape = [128]}>, #smem>
  // CHECK: ttg.memdesc_reshape
  %2 = ttg.memdesc_reshape %l : !ttg.memdesc<4x2xf16, #ttg.shared_linear<{offset = [[1, 0], [0, 1], [2, 0]]}, alignment = 32>, #smem>
    -> !ttg.memdesc<8xf16, #ttg.shared_linear<{offset = [[2], [1], [4]]}, alignment = 32>, #smem>
  // CHECK: ttg.memdesc_trans {{.*}} {order = array<i32: 1, 0>}
  %3 = ttg.memdesc_trans %p {order = array<i32: 1, 0>} : !ttg.memdesc<8x16xf16, #ttg.padded_shared<[128:+4, 8:+8] {order = [1, 0], shape = [8, 16]}>, #smem>
    -> !ttg.memdesc<16x8xf16, #ttg.padded_shared<[128:+4, 8:+8] {offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]}>, #smem>
  tt.return
}

// CHECK-LABEL: tt.func @barriersInMemory
tt.func @barriersInMemory(%bar: !ttg.memdesc<1x1xi64, #shared, #smem, mutable>, %c: i1) {
  // CHECK: ttg.arrive_barrier %{{.*}} if %{{.*}} {count = 2 : i32} : !ttg.memdesc<1x1xi64, #shared, #smem, mutable>
  ttg.arrive_barrier %bar if %c {count = 2 : i32} : !ttg.memdesc<1x1xi64, #shared, #smem, mutable>
  // CHECK: ttg.invalidate_barrier %{{.*}} : !ttg.memdesc<1x1xi64, #shared, #smem, mutable>
  ttg.invalidate_barrier %bar : !ttg.memdesc<1x1xi64, #shared, #smem, mutable>
  tt.return
}

// CHECK-LABEL: tt.func @partitions
tt.func @partitions(%n: i32) -> i32 {
  // CHECK: ttg.in_warps 4, 2
  %c = ttg.in_warps 4, 2
  // CHECK: ttg.warp_specialize {
  // CHECK-NEXT: ttg.warp_yield %{{.*}} : i32
  // CHECK-NEXT: } partitions {
  // CHECK-NEXT: ttg.warp_yield
  // CHECK-NEXT: }, {
  // CHECK-NEXT: ttg.warp_yield
  // CHECK-NEXT: } {partitionRegisters = array<i32: 24, 32>, partitionWarps = array<i32: 1, 4>} : i32
  %r = ttg.warp_specialize {
    ttg.warp_yield %n : i32
  } partitions {
    ttg.warp_yield
  }, {
    ttg.warp_yield
  } {partitionRegisters = array<i32: 24, 32>, partitionWarps = array<i32: 1, 4>} : i32
  tt.return %r : i32
}

// CHECK-LABEL: tt.func private @tiles(
// CHECK-SAME: tensor<64x64xf32, #[[$TILES]]>, tensor<64x64xf32, #[[$SINGLE]]>, tensor<64x64xf32, #[[$BASES]]>, tensor<64x64xf32, #[[$NUMBERS]]>)
tt.func private @tiles(tensor<64x64xf32, #tiles>, tensor<64x64xf32, #single_tiles>, tensor<64x64xf32, #bases>,
                       tensor<64x64xf32, #numbers>)
