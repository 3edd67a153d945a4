// RUN: triton-opt --tritongpu-assign-latencies=num-stages=3 %s | FileCheck %s
// RUN: triton-opt --tritongpu-assign-latencies=num-stages=2 %s | FileCheck %s --check-prefix=TWO

// Three slots of 16 KiB leave a multiprocessor four programs, two slots six. Copies for the round after the next come at
// the end of a round, where the threads have waited for the product. With two stages they come earlier.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @waited
  // CHECK-COUNT-2: tt.latency = 2
  // CHECK: } {tt.refills_slots}
  // TWO-LABEL: @waited
  // TWO-COUNT-2: tt.latency = 1
  // TWO-NOT: tt.refills_slots
  tt.func @waited(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %f: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %e = tt.expand_dims %o {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %t = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %s = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %s, %t : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %scaled = arith.mulf %sum, %f : tensor<64x64xf32, #mma>
      %d = ttg.warp_group_dot %a, %b, %scaled : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A product that goes on in the next round still reads its slot there.
  // CHECK-LABEL: @goes_on
  // CHECK-NOT: tt.refills_slots
  tt.func @goes_on(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %e = tt.expand_dims %o {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %t = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %s = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %s, %t : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %b = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttg.warp_group_dot %a, %b, %sum : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
