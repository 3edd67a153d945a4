// RUN: triton-opt --tritongpu-combine-tensor-select-and-if %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!tile = tensor<512xf32, #blocked>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The branch gives what was selected; inside it the selection's outcome is known.
  // CHECK-LABEL: tt.func @merged
  // CHECK-SAME: %[[C:.*]]: i1, %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]: {{.*}}, %[[P:.*]]: tensor
  // CHECK-NEXT: %[[R:.*]] = scf.if %[[C]] -> (tensor<512xf32, #blocked>) {
  // CHECK-NEXT: tt.store %[[P]], %[[X]]
  // CHECK-NEXT: scf.yield %[[X]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[Y]]
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return %[[R]]
  tt.func @merged(%c: i1, %x: !tile, %y: !tile, %p: tensor<512x!tt.ptr<f32>, #blocked>) -> !tile {
    %s = arith.select %c, %x, %y : !tile
    scf.if %c {
      tt.store %p, %s : tensor<512x!tt.ptr<f32>, #blocked>
    }
    tt.return %s : !tile
  }

  // Results that the branch had come first.
  // CHECK-LABEL: tt.func @appended
  // CHECK: %[[R:.*]]:2 = scf.if
  // CHECK: scf.yield %{{.*}}, %{{.*}} : i32, tensor<512xf32, #blocked>
  // CHECK: scf.yield %{{.*}}, %{{.*}} : i32, tensor<512xf32, #blocked>
  // CHECK: tt.return %[[R]]#1, %[[R]]#0
  tt.func @appended(%c: i1, %x: !tile, %y: !tile, %a: i32, %b: i32) -> (!tile, i32) {
    %s = arith.select %c, %x, %y : !tile
    %r = scf.if %c -> i32 {
      %t = arith.addi %a, %b : i32
      scf.yield %t : i32
    } else {
      %t = arith.subi %a, %b : i32
      scf.yield %t : i32
    }
    tt.return %s, %r : !tile, i32
  }

  // Not when the value is wanted before the branch, nor for another condition.
  // CHECK-LABEL: tt.func @kept
  // CHECK: arith.select
  // CHECK: arith.select
  tt.func @kept(%c: i1, %d: i1, %x: !tile, %y: !tile, %p: tensor<512x!tt.ptr<f32>, #blocked>) -> !tile {
    %s = arith.select %c, %x, %y : !tile
    tt.store %p, %s : tensor<512x!tt.ptr<f32>, #blocked>
    %t = arith.select %d, %x, %y : !tile
    scf.if %c {
      tt.store %p, %x : tensor<512x!tt.ptr<f32>, #blocked>
    }
    tt.return %t : !tile
  }
}
