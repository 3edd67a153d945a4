// RUN: triton-opt --tritongpu-overlap-dots %s | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The products of an iteration are over when those of the next have been issued, and all behind the loop.
  // CHECK-LABEL: tt.func @carried
  tt.func @carried(%n: i32, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem>
      // CHECK: %[[D:.*]] = ttg.warp_group_dot {{.*}} {isAsync = true}
      // CHECK-NEXT: %[[W:.*]] = ttg.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
      // CHECK-NEXT: scf.yield %[[W]]
      %d = ttg.warp_group_dot %slot, %slot, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    // CHECK: %[[S:.*]] = ttg.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
    // CHECK-NEXT: tt.return %[[S]]
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // A branch that uses the sum waits for it; the other one passes it on.
  // CHECK-LABEL: tt.func @stored
  tt.func @stored(%n: i32, %zero: tensor<64x64xf32, #mma>, %last: i1, %p: tensor<64x64x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %slot = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem>
      // CHECK: %[[D:.*]] = ttg.warp_group_dot {{.*}} {isAsync = true}
      // CHECK-NEXT: %[[W:.*]] = ttg.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
      %d = ttg.warp_group_dot %slot, %slot, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      // CHECK: scf.if
      // CHECK-NEXT: %[[S:.*]] = ttg.warp_group_dot_wait %[[W]] {pendings = 0 : i32}
      // CHECK-NEXT: tt.store %{{.*}}, %[[S]]
      // CHECK: } else {
      // CHECK-NEXT: scf.yield %[[W]]
      %next = scf.if %last -> (tensor<64x64xf32, #mma>) {
        tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #mma>
        scf.yield %zero : tensor<64x64xf32, #mma>
      } else {
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      scf.yield %next : tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // A buffer that each iteration writes anew must not be read any more.
  // CHECK-LABEL: tt.func @rewritten
  tt.func @rewritten(%n: i32, %x: tensor<64x64xf16, #blocked>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %own = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      // CHECK: ttg.warp_group_dot
      // CHECK-NOT: isAsync
      // CHECK: scf.yield
      %d = ttg.warp_group_dot %own, %own, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // Of two products that do not need one another the second is issued before the first is over.
  // CHECK-LABEL: tt.func @independent
  tt.func @independent(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>,
                       %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // CHECK: %[[X:.*]] = ttg.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} {isAsync = true}
    %x = ttg.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    // CHECK-NEXT: %[[Y:.*]] = ttg.warp_group_dot
    %y = ttg.warp_group_dot %b, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    // CHECK: %[[W:.*]] = ttg.warp_group_dot_wait %[[X]]
    // CHECK: arith.addf %[[W]]
    %sum = arith.addf %x, %y : tensor<64x64xf32, #mma>
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // The wait stands in front of a branch that uses the product.
  // CHECK-LABEL: tt.func @under_branch
  tt.func @under_branch(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>,
                        %c: tensor<64x64xf32, #mma>, %x: i1) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    // CHECK: %[[D:.*]] = ttg.warp_group_dot
    %d = ttg.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    // CHECK: arith.addf
    %e = arith.addf %c, %c : tensor<64x64xf32, #mma>
    // CHECK: %[[W:.*]] = ttg.warp_group_dot_wait %[[D]]
    // CHECK: scf.if
    // CHECK: arith.mulf %[[W]], %[[W]]
    %r = scf.if %x -> (tensor<64x64xf32, #mma>) {
      %m = arith.mulf %d, %d : tensor<64x64xf32, #mma>
      scf.yield %m : tensor<64x64xf32, #mma>
    } else {
      scf.yield %c : tensor<64x64xf32, #mma>
    }
    tt.return %r, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // A product that adds to the sum of the one before is issued at once: one wait tells that both are over.
  // CHECK-LABEL: tt.func @continued
  // CHECK: %[[D:.*]] = ttg.warp_group_dot %arg0, %arg1, %arg2 {isAsync = true}
  // CHECK-NEXT: %[[E:.*]] = ttg.warp_group_dot %arg1, %arg0, %[[D]] {isAsync = true}
  // CHECK-NEXT: ttg.local_load
  // CHECK: ttg.warp_group_dot_wait %[[E]] {pendings = 0 : i32}
  tt.func @continued(%x: !ttg.memdesc<64x64xf16, #shared, #smem>, %y: !ttg.memdesc<64x64xf16, #shared, #smem>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d = ttg.warp_group_dot %x, %y, %zero : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = ttg.warp_group_dot %y, %x, %d : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %l = ttg.local_load %x : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #mma>
    %w = arith.extf %l : tensor<64x64xf16, #mma> to tensor<64x64xf32, #mma>
    %s = arith.addf %e, %w : tensor<64x64xf32, #mma>
    tt.return %s : tensor<64x64xf32, #mma>
  }

  // Not where something between them may write what the first one reads.
  // CHECK-LABEL: tt.func @interrupted
  // CHECK: ttg.warp_group_dot %arg0, %arg0, %arg2 :
  tt.func @interrupted(%x: !ttg.memdesc<64x64xf16, #shared, #smem>, %t: tensor<64x64xf16, #blocked>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d = ttg.warp_group_dot %x, %x, %zero : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %y = ttg.local_alloc %t : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %e = ttg.warp_group_dot %x, %y, %d : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.return %e : tensor<64x64xf32, #mma>
  }

  // The operand %p would wait in 64 registers, beside 224 that hold data. What lies in shared memory takes none.
  // CHECK-LABEL: tt.func @without_registers
  // CHECK: ttg.warp_group_dot %arg0, %arg2, %arg3 :
  // CHECK: ttg.warp_group_dot %arg1, %arg1, %arg4 {isAsync = true}
  tt.func @without_registers(%p: tensor<64x256xf16, #operand>, %s: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: !ttg.memdesc<256x128xf16, #shared, #smem>,
                             %c: tensor<64x128xf32, #wide>, %d: tensor<64x64xf32, #mma>, %f: tensor<64x128xf32, #wide>) -> (tensor<64x128xf32, #wide>, tensor<64x64xf32, #mma>, tensor<64x128xf32, #wide>) {
    %first = ttg.warp_group_dot %p, %x, %c : tensor<64x256xf16, #operand> * !ttg.memdesc<256x128xf16, #shared, #smem> -> tensor<64x128xf32, #wide>
    %second = ttg.warp_group_dot %s, %s, %d : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %more = math.exp %f : tensor<64x128xf32, #wide>
    %sum = arith.addf %more, %first : tensor<64x128xf32, #wide>
    tt.return %sum, %second, %f : tensor<64x128xf32, #wide>, tensor<64x64xf32, #mma>, tensor<64x128xf32, #wide>
  }
}
