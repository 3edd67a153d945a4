// RUN: triton-opt --tritongpu-store-operands-early %s | FileCheck %s
// RUN: sed 's/num-warps" = 4/num-warps" = 1/; s/\[4, 1\]/[1, 1]/' %s | triton-opt --tritongpu-store-operands-early | FileCheck %s --check-prefix=ONE

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!tile = tensor<32x32xf16, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // Both tiles are loaded and stored before threads meet to read the first; the address and the sum go along.
  // CHECK-LABEL: tt.func @both
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.dot
  // A single warp waits for no other one.
  // ONE-LABEL: tt.func @both
  // ONE: ttg.local_load
  // ONE-NEXT: tt.addptr
  // ONE-NEXT: tt.load
  tt.func @both(%p: !pointers, %q: !pointers, %o: tensor<32x32xi32, #blocked>, %one: !tile, %z: !sum) -> !sum {
    %x = tt.load %p : !pointers
    %c = ttg.local_alloc %x : (!tile) -> !buffer
    %l = ttg.local_load %c : !buffer -> !left
    %r = tt.addptr %q, %o : !pointers, tensor<32x32xi32, #blocked>
    %y = tt.load %r : !pointers
    %w = arith.addf %y, %one : !tile
    %d = ttg.local_alloc %w : (!tile) -> !buffer
    %m = ttg.local_load %d : !buffer -> !right
    %s = tt.dot %l, %m, %z : !left * !right -> !sum
    tt.return %s : !sum
  }

  // What the kernel may have written is loaded after that. What is loaded before is stored before threads meet.
  // CHECK-LABEL: tt.func @written
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.load
  // CHECK-LABEL: tt.func @loaded
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.store
  // ONE-LABEL: tt.func @loaded
  // ONE: ttg.local_alloc
  // ONE-NEXT: ttg.local_alloc
  tt.func @written(%p: !pointers, %q: !pointers, %z: !sum) -> !sum {
    %x = tt.load %p : !pointers
    %c = ttg.local_alloc %x : (!tile) -> !buffer
    %l = ttg.local_load %c : !buffer -> !left
    tt.store %q, %x : !pointers
    %y = tt.load %p : !pointers
    %d = ttg.local_alloc %y : (!tile) -> !buffer
    %m = ttg.local_load %d : !buffer -> !right
    %s = tt.dot %l, %m, %z : !left * !right -> !sum
    tt.return %s : !sum
  }
  tt.func @loaded(%p: !pointers, %q: !pointers, %z: !sum) -> !sum {
    %x = tt.load %p : !pointers
    %y = tt.load %p : !pointers
    %c = ttg.local_alloc %x : (!tile) -> !buffer
    %l = ttg.local_load %c : !buffer -> !left
    tt.store %q, %x : !pointers
    %d = ttg.local_alloc %y : (!tile) -> !buffer
    %m = ttg.local_load %d : !buffer -> !right
    %s = tt.dot %l, %m, %z : !left * !right -> !sum
    tt.return %s : !sum
  }

  // The loop stays before the load. An operand that a product gives is stored after it.
  // CHECK-LABEL: tt.func @after
  // CHECK: scf.for
  // CHECK: }
  // CHECK: tt.load
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: arith.truncf
  // CHECK-NEXT: ttg.local_alloc
  tt.func @after(%p: !pointers, %l: !left, %y: !right, %z: !sum, %n: i32) -> (!left, !right) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %d = tt.dot %l, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    %s = tt.dot %l, %y, %r : !left * !right -> !sum
    %h = arith.truncf %s : !sum to tensor<32x32xf16, #mma>
    %c = ttg.local_alloc %h : (tensor<32x32xf16, #mma>) -> !buffer
    %x = tt.load %p : !pointers
    %e = ttg.local_alloc %x : (!tile) -> !buffer
    %m = ttg.local_load %c : !buffer -> !left
    %w = ttg.local_load %e : !buffer -> !right
    tt.return %m, %w : !left, !right
  }

  // In an iteration as well: a loop whose loads no copy brings.
  // CHECK-LABEL: tt.func @iteration
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  tt.func @iteration(%p: !pointers, %q: !pointers, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p : !pointers
      %c = ttg.local_alloc %x : (!tile) -> !buffer
      %l = ttg.local_load %c : !buffer -> !left
      %y = tt.load %q : !pointers
      %d = ttg.local_alloc %y : (!tile) -> !buffer
      %m = ttg.local_load %d : !buffer -> !right
      %s = tt.dot %l, %m, %acc : !left * !right -> !sum
      scf.yield %s : !sum
    }
    tt.return %r : !sum
  }

  // What a volatile load sees decides what may be loaded after it; a called function has shared memory of its own.
  // CHECK-LABEL: tt.func @flag
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.load %{{.*}} {isVolatile = true}
  // CHECK-NEXT: tt.load
  // CHECK-LABEL: tt.func @calling
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.call
  // CHECK-NEXT: ttg.local_alloc
  tt.func private @callee()
  tt.func @flag(%p: !pointers, %f: !tt.ptr<i32>, %q: !pointers, %z: !sum) -> (!sum, i32) {
    %x = tt.load %p : !pointers
    %c = ttg.local_alloc %x : (!tile) -> !buffer
    %l = ttg.local_load %c : !buffer -> !left
    %v = tt.load %f {isVolatile = true} : !tt.ptr<i32>
    %y = tt.load %q : !pointers
    %d = ttg.local_alloc %y : (!tile) -> !buffer
    %m = ttg.local_load %d : !buffer -> !right
    %s = tt.dot %l, %m, %z : !left * !right -> !sum
    tt.return %s, %v : !sum, i32
  }
  tt.func @calling(%p: !pointers, %q: !pointers, %z: !sum) -> !sum {
    %x = tt.load %p : !pointers
    %y = tt.load %q : !pointers
    %c = ttg.local_alloc %x : (!tile) -> !buffer
    %l = ttg.local_load %c : !buffer -> !left
    tt.call @callee() : () -> ()
    %d = ttg.local_alloc %y : (!tile) -> !buffer
    %m = ttg.local_load %d : !buffer -> !right
    %s = tt.dot %l, %m, %z : !left * !right -> !sum
    tt.return %s : !sum
  }
}
