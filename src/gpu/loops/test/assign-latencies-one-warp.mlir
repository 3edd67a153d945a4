// RUN: triton-opt --tritongpu-assign-latencies="num-stages=2" --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // Two slots of 8 KiB: eight programs of one warp fit on a multiprocessor.
  // CHECK-LABEL: @small
  // CHECK: tt.load {{.*}}tt.latency = 1
  // CHECK-NOT: tt.refills_slots
  tt.func @small(%p: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>},
                 %y: tensor<64x64xf16, #b>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant dense<64> : tensor<64x64xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p)
        -> (tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>) : i32 {
      %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory> -> tensor<64x64xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %s = tt.addptr %q, %k : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // Two slots of 32 KiB: two programs would leave half of the schedulers without a warp. With one slot there are four.
  // CHECK-LABEL: @large
  // CHECK: tt.load {{.*}}tt.latency = 1
  // CHECK: } {tt.refills_slots}
  tt.func @large(%p: tensor<128x128x!tt.ptr<f16>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 128]> : tensor<2xi32>},
                 %y: tensor<128x128xf16, #b>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = arith.constant dense<128> : tensor<128x128xi32, #blocked>
    %z = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p)
        -> (tensor<128x128xf32, #mma>, tensor<128x128x!tt.ptr<f16>, #blocked>) : i32 {
      %x = tt.load %q : tensor<128x128x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %x : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory> -> tensor<128x128xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<128x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<128x128xf32, #mma>
      %s = tt.addptr %q, %k : tensor<128x128x!tt.ptr<f16>, #blocked>, tensor<128x128xi32, #blocked>
      scf.yield %d, %s : tensor<128x128xf32, #mma>, tensor<128x128x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<128x128xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<256x128x!tt.ptr<f16>, #blocked>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // With two slots of 64 KiB, a multiprocessor runs one program, a warp for each scheduler; with one slot it runs two.
  // CHECK-LABEL: @alone
  // CHECK: tt.load {{.*}}tt.latency = 1
  // CHECK: } {tt.refills_slots}
  tt.func @alone(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 128]> : tensor<2xi32>},
                 %y: tensor<128x16xf16, #b>, %n: i32) -> tensor<256x16xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<256x16xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<256x16xf32, #mma>) : i32 {
      %x = tt.load %p : !pointers
      %m = ttg.local_alloc %x : (tensor<256x128xf16, #blocked>) -> !ttg.memdesc<256x128xf16, #shared, #ttg.shared_memory>
      %o = ttg.local_load %m : !ttg.memdesc<256x128xf16, #shared, #ttg.shared_memory> -> tensor<256x128xf16, #a>
      %d = tt.dot %o, %y, %acc : tensor<256x128xf16, #a> * tensor<128x16xf16, #b> -> tensor<256x16xf32, #mma>
      scf.yield %d : tensor<256x16xf32, #mma>
    }
    tt.return %r : tensor<256x16xf32, #mma>
  }
}
