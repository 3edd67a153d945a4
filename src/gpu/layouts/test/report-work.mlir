// RUN: triton-opt --tritongpu-report-work --split-input-file --remark-format=emitRemark --remarks-filter=.* %s -o /dev/null 2>&1 | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // 16 bytes of a thread, 512 of a warp: 16 sectors. A load of 2 KiB, an addition for each element, 4.8 TB/s over 132
  // multiprocessors of 1.83 GHz.
  tt.func @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #wide>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #wide>
    %a = tt.addptr %b, %r : tensor<512x!tt.ptr<f32>, #wide>, tensor<512xi32, #wide>
    // CHECK: [[#@LINE+1]]:10: remark: [Analysis] Traffic | Category:access | bytes=2048, bytes_of_thread=16, element=f32, encoding="#ttg.blocked<{{.*}}>", kind=load, least_sectors=16, requests=4, sectors=16, shape=[512]
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #wide>
    %y = arith.addf %x, %x : tensor<512xf32, #wide>
    // CHECK: [[#@LINE+1]]:5: remark: {{.*}}kind=store{{.*}}sectors=16
    tt.store %a, %y : tensor<512x!tt.ptr<f32>, #wide>
    // CHECK: remark: [Analysis] Work | Category:program | atomic_bytes=0, bound=memory, clocks=2.061312e+02, holds_unknown_loops=false, loaded_bytes=2048, matrix_clocks=0.000000e+00, memory_clocks=2.061312e+02, name=copy, ordinary_clocks=8.000000e+00, other_flops=512, product_flops=0, shared_clocks=0.000000e+00, stored_bytes=2048
    tt.return
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
!pointers = tensor<64x32x!tt.ptr<f16>, #row>
!buffer = !ttg.memdesc<64x32xf16, #shared, #ttg.shared_memory>
!sum = tensor<64x32xf32, #mma>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // 2 * 64 * 32 * 64 operations at 4096 a clock; 4 KiB to and from shared memory at 128 bytes a clock. A loop of five
  // iterations is part of the function.
  tt.func @product(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %a: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>, %z: !sum, %w: tensor<64x32x!tt.ptr<f32>, #mma>, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    // CHECK: Traffic{{.*}}bytes=4096, bytes_of_thread=16, {{.*}}least_sectors=16, {{.*}}requests=8, sectors=16
    // CHECK: Work{{.*}}holds_unknown_loops=false, loaded_bytes=20480{{.*}}name=product{{.*}}product_flops=1310720
    // CHECK: [[#@LINE+1]]:10: remark: {{.*}}Work{{.*}}bound=memory, bound_with_reuse="shared memory", clocks=2.061312e+02, clocks_with_reuse=1.280000e+02, holds_unknown_loops=false, iterations=5, loaded_bytes=4096, matrix_clocks=6.400000e+01, memory_clocks=2.061312e+02, needed_reuse=3.790{{.*}}, {{.*}}product_flops=262144, shared_clocks=1.280000e+02
    %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p : !pointers
      %b = ttg.local_alloc %x : (tensor<64x32xf16, #row>) -> !buffer
      %d = ttg.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory> * !buffer -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }
  // What is in a loop of unknown length is not part of what is around it.
  // CHECK: Traffic{{.*}}loop={{"?}}loc(
  tt.func @unknown(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: Work{{.*}}holds_unknown_loops=true, loaded_bytes=0, {{.*}}name=unknown
    // CHECK: Work
    // CHECK-NOT: iterations=
    // CHECK-SAME: loaded_bytes=4096
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
    }
    tt.return
  }
  // CHECK: Conversion | {{.*}}by="shared memory"{{.*}}from="#ttg.blocked{{.*}}scratch_bytes={{[1-9]}}{{.*}}to="#ttg.nvidia_mma
  tt.func @conversion(%x: tensor<64x32xf16, #row>) -> tensor<64x32xf16, #mma> {
    %y = ttg.convert_layout %x : tensor<64x32xf16, #row> -> tensor<64x32xf16, #mma>
    tt.return %y : tensor<64x32xf16, #mma>
  }
}
