// RUN: triton-opt --tritongpu-split-dots %s | FileCheck %s
// RUN: triton-opt --tritongpu-split-dots --remark-format=emitRemark --remarks-filter-passed=.* %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#along_k = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!weights = !ttg.memdesc<64x128xi8, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>
!rows = !ttg.memdesc<128x64xf16, #shared, #smem>
!columns = !ttg.memdesc<128x64xf16, #along_k, #smem>
!short = !ttg.memdesc<64x64xf16, #along_k, #smem>
!sum = tensor<64x64xf32, #mma>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The second half of the weights is converted while the unit multiplies the first one.
  // CHECK-LABEL: tt.func @converted
  // CHECK: %[[A:.*]] = arith.sitofp
  // CHECK-NEXT: %[[B0:.*]] = ttg.memdesc_subslice %arg1[0, 0]
  // CHECK-NEXT: %[[B1:.*]] = ttg.memdesc_subslice %arg1[64, 0]
  // CHECK-NEXT: %[[A0:.*]] = ttg.take_columns %[[A]] from 0 : tensor<64x128xf16, [[ENCODING:.*]]> -> tensor<64x64xf16, [[ENCODING]]>
  // CHECK-NEXT: %[[A1:.*]] = ttg.take_columns %[[A]] from 64
  // CHECK-NEXT: %[[D0:.*]] = ttg.warp_group_dot %[[A0]], %[[B0]], %arg{{.*}} :
  // CHECK-NEXT: %[[D1:.*]] = ttg.warp_group_dot %[[A1]], %[[B1]], %[[D0]] :
  // CHECK-NEXT: scf.yield %[[D1]]
  tt.func @converted(%w: !weights, %b: !rows, %zero: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %x = ttg.local_load %w : !weights -> tensor<64x128xi8, #a>
      %f = arith.sitofp %x : tensor<64x128xi8, #a> to tensor<64x128xf16, #a>
      // REMARK: [[#@LINE+1]]:12: remark: [Passed] Split | {{.*}}the unit multiplies one half of the operand
      %d = ttg.warp_group_dot %f, %b, %acc : tensor<64x128xf16, #a> * !rows -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // Rows along K are cut where 128 bytes of them end.
  // CHECK-LABEL: tt.func @along_k
  // CHECK: ttg.memdesc_subslice %arg1[0, 0]
  // CHECK-NEXT: ttg.memdesc_subslice %arg1[64, 0]
  tt.func @along_k(%w: !weights, %b: !columns, %zero: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %x = ttg.local_load %w : !weights -> tensor<64x128xi8, #a>
      %f = arith.sitofp %x : tensor<64x128xi8, #a> to tensor<64x128xf16, #a>
      %d = ttg.warp_group_dot %f, %b, %acc : tensor<64x128xf16, #a> * !columns -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // Half of 64 columns along K would end within 128 bytes of a row.
  // CHECK-LABEL: tt.func @short
  // CHECK-NOT: ttg.memdesc_subslice
  tt.func @short(%w: !weights, %s: !short, %zero: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %x = ttg.local_load %w : !weights -> tensor<64x128xi8, #a>
      %f = arith.sitofp %x : tensor<64x128xi8, #a> to tensor<64x128xf16, #a>
      %l = ttg.take_columns %f from 0 : tensor<64x128xf16, #a> -> tensor<64x64xf16, #a>
      %d = ttg.warp_group_dot %l, %s, %acc : tensor<64x64xf16, #a> * !short -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // The unit has other work where there are other products.
  // CHECK-LABEL: tt.func @twoProducts
  // CHECK-NOT: ttg.memdesc_subslice
  tt.func @twoProducts(%w: !weights, %b: !rows, %zero: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %x = ttg.local_load %w : !weights -> tensor<64x128xi8, #a>
      %f = arith.sitofp %x : tensor<64x128xi8, #a> to tensor<64x128xf16, #a>
      %d = ttg.warp_group_dot %f, %b, %acc : tensor<64x128xf16, #a> * !rows -> !sum
      %e = ttg.warp_group_dot %f, %b, %d : tensor<64x128xf16, #a> * !rows -> !sum
      scf.yield %e : !sum
    }
    tt.return %r : !sum
  }

  // What comes from the product of the iteration before stays whole.
  // CHECK-LABEL: tt.func @carried
  // CHECK-NOT: ttg.memdesc_subslice
  tt.func @carried(%b: !ttg.memdesc<128x128xf16, #shared, #smem>, %zero: tensor<64x128xf32, #mma>, %n: i32)
      -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
      %c = ttg.convert_layout %acc : tensor<64x128xf32, #mma> -> tensor<64x128xf32, #a>
      %f = arith.truncf %c : tensor<64x128xf32, #a> to tensor<64x128xf16, #a>
      %d = ttg.warp_group_dot %f, %b, %zero : tensor<64x128xf16, #a> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }
}
