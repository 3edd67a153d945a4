// RUN: triton-opt --tritongpu-split-f32-dots --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

  // CHECK-LABEL: tt.func @tf32x3
  // CHECK-SAME: (%[[A:[a-z0-9]+]]: {{.*}}opIdx = 0{{.*}}, %[[B:[a-z0-9]+]]: {{.*}}opIdx = 1{{.*}}, %[[C:[a-z0-9]+]]: tensor<32x32xf32, #blocked>)
  tt.func @tf32x3(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #b>, %c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    // The high part lacks what tf32 cannot hold; a NaN stays.
    // CHECK: %[[MASK:.*]] = arith.constant dense<-8192> : tensor<32x32xi32
    // CHECK: %[[BITS:.*]] = tt.bitcast %[[A]]
    // CHECK: %[[KEPT:.*]] = arith.andi %[[BITS]], %[[MASK]]
    // CHECK: %[[FLOAT:.*]] = tt.bitcast %[[KEPT]]
    // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
    // CHECK: %[[AH:.*]] = arith.select %[[NAN]], %[[A]], %[[FLOAT]]
    // CHECK: %[[AL:.*]] = arith.subf %[[A]], %[[AH]]
    // CHECK: %[[BH:.*]] = arith.select {{.*}}, %[[B]], {{.*}}
    // CHECK: %[[BL:.*]] = arith.subf %[[B]], %[[BH]]
    // Small products first, from zero.
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
    // CHECK: %[[P0:.*]] = tt.dot %[[AL]], %[[BH]], %[[ZERO]], inputPrecision = tf32 :
    // CHECK: %[[P1:.*]] = tt.dot %[[AH]], %[[BL]], %[[P0]], inputPrecision = tf32 :
    // Where a part of an infinity made a NaN, the product of the high parts decides alone.
    // CHECK: %[[ISNAN:.*]] = arith.cmpf uno, %[[P1]], %[[P1]]
    // CHECK: %[[SMALL:.*]] = arith.select %[[ISNAN]], %[[ZERO]], %[[P1]]
    // CHECK: %[[P2:.*]] = tt.dot %[[AH]], %[[BH]], %[[SMALL]], inputPrecision = tf32 :
    // CHECK: %[[D:.*]] = arith.addf %[[P2]], %[[C]]
    // CHECK: tt.return %[[D]]
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    tt.return %d : tensor<32x32xf32, #blocked>
  }

  // CHECK-LABEL: tt.func @bf16x3
  // CHECK-COUNT-3: tt.dot {{.*}} : tensor<32x32xbf16, {{.*}}> * tensor<32x32xbf16, {{.*}}> -> tensor<32x32xf32
  // CHECK-NOT: tt.dot
  tt.func @bf16x3(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #b>, %c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    tt.return %d : tensor<32x32xf32, #blocked>
  }

  // Of nine products of three parts the six largest.
  // CHECK-LABEL: tt.func @bf16x6
  // CHECK-COUNT-6: tt.dot {{.*}} : tensor<32x32xbf16, {{.*}}> * tensor<32x32xbf16, {{.*}}> -> tensor<32x32xf32
  // CHECK-NOT: tt.dot
  tt.func @bf16x6(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #b>, %c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    tt.return %d : tensor<32x32xf32, #blocked>
  }

  // Other precisions, and other operands, stay.
  // CHECK-LABEL: tt.func @others
  // CHECK-NEXT: tt.dot {{.*}}inputPrecision = tf32 :
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: tt.dot {{.*}}inputPrecision = tf32x3 : tensor<32x32xf16
  // CHECK-NEXT: tt.return
  tt.func @others(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #b>, %h: tensor<32x32xf16, #a>, %g: tensor<32x32xf16, #b>,
                  %c: tensor<32x32xf32, #blocked>) {
    %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    %1 = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    %2 = tt.dot %h, %g, %c, inputPrecision = tf32x3 : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// No matrix unit multiplies tf32 or bf16 here: the ordinary units compute exactly.
// CHECK-LABEL: tt.func @old
// CHECK-NEXT: tt.dot {{.*}}inputPrecision = tf32x3 :
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:75"} {
  tt.func @old(%a: tensor<32x32xf32, #a>, %b: tensor<32x32xf32, #b>, %c: tensor<32x32xf32, #blocked>) {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    tt.return
  }
}
