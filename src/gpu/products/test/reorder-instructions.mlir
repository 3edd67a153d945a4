// RUN: triton-opt --tritongpu-reorder-instructions %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#single = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // 128 registers carried, 64 of a product, 64 of an operand: the operand stays in shared memory.
  // CHECK-LABEL: tt.func @manyRegisters
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func @manyRegisters(%q: tensor<128x128xf16, #blocked>, %k: tensor<128x64xf16, #b>, %v: tensor<64x128xf16, #b>,
                         %p: tensor<128x64xf16, #a>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    %start = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %buffer = ttg.local_alloc %q : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory>
    %o = ttg.local_load %buffer : !ttg.memdesc<128x128xf16, #shared, #ttg.shared_memory> -> tensor<128x128xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<128x128xf32, #mma>) : i32 {
      %s = tt.dot %o, %k, %zero : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #mma>
      %t = arith.truncf %s : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
      %u = ttg.convert_layout %t : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #a>
      %d = tt.dot %u, %v, %acc : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // Where there are registers the operand is read once.
  // CHECK-LABEL: tt.func @fewRegisters
  // CHECK: ttg.local_load
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_load
  // CHECK: tt.return
  tt.func @fewRegisters(%q: tensor<64x64xf16, #blocked>, %k: tensor<64x64xf16, #b>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %start = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %buffer = ttg.local_alloc %q : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
    %o = ttg.local_load %buffer : !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %o, %k, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Three products of 64 registers that live side by side, a sum of 64, and an operand of 32: it stays in shared memory.
  // CHECK-LABEL: tt.func @crowdedIteration
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.for
  // CHECK: ttg.local_load
  tt.func @crowdedIteration(%q: tensor<128x64xf16, #blocked>, %x: tensor<64x64xf16, #b>, %y: tensor<64x64xf16, #b>,
                            %z: tensor<64x64xf16, #b>, %n: i32) -> tensor<128x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    %buffer = ttg.local_alloc %q : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory>
    %o = ttg.local_load %buffer : !ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory> -> tensor<128x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %s = tt.dot %o, %x, %zero : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #mma>
      %t = tt.dot %o, %y, %zero : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #mma>
      %u = tt.dot %o, %z, %zero : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #mma>
      %st = arith.mulf %s, %t : tensor<128x64xf32, #mma>
      %stu = arith.mulf %st, %u : tensor<128x64xf32, #mma>
      %d = arith.addf %acc, %stu : tensor<128x64xf32, #mma>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    tt.return %r : tensor<128x64xf32, #mma>
  }

  // What a thread holds more of after the conversion is made where it is used: the product has the registers until then.
  // CHECK-LABEL: tt.func @delayed
  // CHECK: tt.dot
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.expand_dims
  tt.func @delayed(%q: tensor<128x128xf16, #a>, %k: tensor<128x64xf16, #b>, %c: tensor<128x64xf32, #mma>,
                   %x: tensor<64xf32, #line>) -> tensor<1x64xf32, #mma> {
    %y = ttg.convert_layout %x : tensor<64xf32, #line> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    %s = tt.dot %q, %k, %c : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #mma>
    %z = tt.expand_dims %y {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
    tt.return %z : tensor<1x64xf32, #mma>
  }

  // As much is held after the conversion of a product's result; it waits for the next product, which then goes on beside
  // it. Where registers are short, it stays.
  // CHECK-LABEL: tt.func @beside
  // CHECK: tt.dot
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: arith.mulf
  // CHECK-LABEL: tt.func @besideCrowded
  // CHECK: tt.dot
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.dot
  tt.func @beside(%q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>)
      -> (tensor<64x64xf32, #blocked>, tensor<64x64xf32, #mma>) {
    %s = tt.dot %q, %k, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %y = ttg.convert_layout %s : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    %t = tt.dot %q, %k, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %z = arith.mulf %y, %y : tensor<64x64xf32, #blocked>
    tt.return %z, %t : tensor<64x64xf32, #blocked>, tensor<64x64xf32, #mma>
  }
  tt.func @besideCrowded(%q: tensor<128x64xf16, #a>, %k: tensor<64x128xf16, #b>, %c: tensor<128x128xf32, #mma>)
      -> (tensor<128x128xf32, #blocked>, tensor<128x128xf32, #mma>) {
    %s = tt.dot %q, %k, %c : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #mma>
    %y = ttg.convert_layout %s : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #blocked>
    %t = tt.dot %q, %k, %c : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #mma>
    %z = arith.mulf %y, %y : tensor<128x128xf32, #blocked>
    tt.return %z, %t : tensor<128x128xf32, #blocked>, tensor<128x128xf32, #mma>
  }

  // Less is held after the conversion, but the operand of the next product, which would wait across it, takes more.
  // CHECK-LABEL: tt.func @besideOperand
  // CHECK: tt.dot
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-LABEL: tt.func @besideKnownOperand
  // CHECK: tt.dot
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.dot
  tt.func @besideOperand(%q: tensor<16x64xf16, #a>, %k: tensor<64x16xf16, #b>, %c: tensor<16x16xf32, #mma>,
                         %m: !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory>)
      -> (tensor<16x16xf32, #single>, tensor<16x16xf32, #mma>) {
    %l = ttg.local_load %m : !ttg.memdesc<64x16xf16, #shared, #ttg.shared_memory> -> tensor<64x16xf16, #b>
    %s = tt.dot %q, %k, %c : tensor<16x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<16x16xf32, #mma>
    %y = ttg.convert_layout %s : tensor<16x16xf32, #mma> -> tensor<16x16xf32, #single>
    %t = tt.dot %q, %l, %c : tensor<16x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<16x16xf32, #mma>
    %z = arith.mulf %y, %y : tensor<16x16xf32, #single>
    tt.return %z, %t : tensor<16x16xf32, #single>, tensor<16x16xf32, #mma>
  }
  tt.func @besideKnownOperand(%q: tensor<16x64xf16, #a>, %k: tensor<64x16xf16, #b>, %c: tensor<16x16xf32, #mma>)
      -> (tensor<16x16xf32, #single>, tensor<16x16xf32, #mma>) {
    %s = tt.dot %q, %k, %c : tensor<16x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<16x16xf32, #mma>
    %y = ttg.convert_layout %s : tensor<16x16xf32, #mma> -> tensor<16x16xf32, #single>
    %t = tt.dot %q, %k, %c : tensor<16x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<16x16xf32, #mma>
    %z = arith.mulf %y, %y : tensor<16x16xf32, #single>
    tt.return %z, %t : tensor<16x16xf32, #single>, tensor<16x16xf32, #mma>
  }
}
