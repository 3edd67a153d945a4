// RUN: triton-opt --tritongpu-park-operands %s | FileCheck %s
// RUN: triton-opt --tritongpu-park-operands --remark-format=emitRemark --remarks-filter-passed=.* %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#turned = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!buffer = !ttg.memdesc<64x128xf16, #shared, #ttg.shared_memory>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // Two operands of 128 registers and a sum of 64: the second operand waits in shared memory.
  // CHECK-LABEL: tt.func @crowded
  // CHECK: ttg.local_load
  // CHECK: tt.dot
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func @crowded(%x: tensor<64x128xf16, #blocked>, %y: tensor<64x128xf16, #blocked>, %p: tensor<64x64xf16, #a>)
      -> tensor<64x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %0 = ttg.local_alloc %x : (tensor<64x128xf16, #blocked>) -> !buffer
    %1 = ttg.local_load %0 : !buffer -> tensor<64x128xf16, #b>
    %2 = ttg.local_alloc %y : (tensor<64x128xf16, #blocked>) -> !buffer
    // REMARK: [[#@LINE+1]]:10: remark: [Passed] Park | {{.*}}the operand stays in shared memory until it is used
    %3 = ttg.local_load %2 : !buffer -> tensor<64x128xf16, #b>
    %4 = tt.dot %p, %1, %zero : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
    %5 = tt.dot %p, %3, %4 : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
    tt.return %5 : tensor<64x128xf32, #mma>
  }

  // Where there are registers, operands are read at once.
  // CHECK-LABEL: tt.func @roomy
  // CHECK: ttg.local_load
  // CHECK: ttg.local_load
  // CHECK: tt.dot
  // CHECK-NEXT: tt.dot
  tt.func @roomy(%x: tensor<64x16xf16, #blocked>, %y: tensor<64x16xf16, #blocked>, %p: tensor<64x64xf16, #a>)
      -> tensor<64x16xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %0 = ttg.local_alloc %x : (tensor<64x16xf16, #blocked>) -> !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory>
    %1 = ttg.local_load %0 : !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory> -> tensor<64x16xf16, #b>
    %2 = ttg.local_alloc %y : (tensor<64x16xf16, #blocked>) -> !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory>
    %3 = ttg.local_load %2 : !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory> -> tensor<64x16xf16, #b>
    %4 = tt.dot %p, %1, %zero : tensor<64x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<64x16xf32, #mma>
    %5 = tt.dot %p, %3, %4 : tensor<64x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<64x16xf32, #mma>
    tt.return %5 : tensor<64x16xf32, #mma>
  }

  // Operands wait across a loop as well, unless the ring that its loads may get needs the shared memory.
  // CHECK-LABEL: tt.func @beforeLoop
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.dot
  // CHECK-LABEL: tt.func @beforeRing
  // CHECK: ttg.local_load
  // CHECK: ttg.local_load
  // CHECK: scf.for
  tt.func @beforeLoop(%x: tensor<64x128xf16, #blocked>, %y: tensor<64x128xf16, #blocked>, %p: tensor<64x64xf16, #a>,
                      %from: tensor<64x128x!tt.ptr<f32>, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %0 = ttg.local_alloc %x : (tensor<64x128xf16, #blocked>) -> !buffer
    %1 = ttg.local_load %0 : !buffer -> tensor<64x128xf16, #b>
    %2 = ttg.local_alloc %y : (tensor<64x128xf16, #blocked>) -> !buffer
    %3 = ttg.local_load %2 : !buffer -> tensor<64x128xf16, #b>
    %4 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %v = tt.load %from : tensor<64x128x!tt.ptr<f32>, #mma>
      %s = arith.addf %sum, %v : tensor<64x128xf32, #mma>
      scf.yield %s : tensor<64x128xf32, #mma>
    }
    %5 = tt.dot %p, %1, %4 : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
    %6 = tt.dot %p, %3, %5 : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
    tt.return %6 : tensor<64x128xf32, #mma>
  }
  tt.func @beforeRing(%x: tensor<64x128xf16, #blocked>, %y: tensor<64x128xf16, #blocked>, %p: tensor<64x64xf16, #a>,
                      %from: tensor<64x128x!tt.ptr<f32>, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %0 = ttg.local_alloc %x : (tensor<64x128xf16, #blocked>) -> !buffer
    %1 = ttg.local_load %0 : !buffer -> tensor<64x128xf16, #b>
    %2 = ttg.local_alloc %y : (tensor<64x128xf16, #blocked>) -> !buffer
    %3 = ttg.local_load %2 : !buffer -> tensor<64x128xf16, #b>
    %4 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %t = tt.load %from : tensor<64x128x!tt.ptr<f32>, #mma>
      %b = ttg.local_alloc %t : (tensor<64x128xf32, #mma>) -> !ttg.memdesc<64x128xf32, #shared, #ttg.shared_memory>
      %v = ttg.local_load %b : !ttg.memdesc<64x128xf32, #shared, #ttg.shared_memory> -> tensor<64x128xf32, #mma>
      %s = arith.addf %sum, %v : tensor<64x128xf32, #mma>
      scf.yield %s : tensor<64x128xf32, #mma>
    }
    %5 = tt.dot %p, %1, %4 : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
    %6 = tt.dot %p, %3, %5 : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
    tt.return %6 : tensor<64x128xf32, #mma>
  }

  // A tile that is read in two ways has one buffer: registers need not hold it until the second reading.
  // CHECK-LABEL: tt.func @twoReadings
  // CHECK: %[[buffer:.*]] = ttg.local_alloc
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttg.memdesc_trans %[[buffer]]
  // CHECK: tt.return
  tt.func @twoReadings(%x: tensor<128x128xf16, #blocked>, %p: tensor<64x128xf16, #a>) -> tensor<64x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %0 = ttg.local_alloc %x : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory>
    %1 = ttg.local_load %0 : !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory> -> tensor<128x128xf16, #b>
    %2 = tt.dot %p, %1, %zero : tensor<64x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<64x128xf32, #mma>
    %3 = ttg.local_alloc %x : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory>
    %4 = ttg.memdesc_trans %3 {order = array<i32: 1, 0>} : !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory> -> !ttg.memdesc<128x128xf16, #turned, #ttg.shared_memory>
    %5 = ttg.local_load %4 : !ttg.memdesc<128x128xf16, #turned, #ttg.shared_memory> -> tensor<128x128xf16, #b>
    %6 = tt.dot %p, %5, %2 : tensor<64x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<64x128xf32, #mma>
    tt.return %6 : tensor<64x128xf32, #mma>
  }
}
