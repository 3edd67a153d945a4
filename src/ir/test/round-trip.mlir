// RUN: triton-opt %s | FileCheck %s
// RUN: triton-opt %s | triton-opt | FileCheck %s
// RUN: triton-opt %s --mlir-print-op-generic | triton-opt | FileCheck %s

// Each operation in the form in which Triton 3.6 prints it.

// CHECK-LABEL: tt.func public @memory(
// CHECK-SAME: %{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}
// CHECK-SAME: attributes {noinline = false}
tt.func public @memory(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %shared: !tt.ptr<i8, 3>) attributes {noinline = false} {
  %other = arith.constant dense<0.000000e+00> : tensor<256xf32>
  // CHECK: tt.get_program_id x : i32
  %pid = tt.get_program_id x : i32
  // CHECK: tt.get_num_programs z : i32
  %programs = tt.get_num_programs z : i32
  // CHECK: tt.get_time : i64
  %time = tt.get_time : i64
  // CHECK: tt.get_multiprocessor_id : i32
  %multiprocessor = tt.get_multiprocessor_id : i32
  // CHECK: tt.wait_for_prior_launch
  tt.wait_for_prior_launch
  // CHECK: tt.allow_next_launch
  tt.allow_next_launch
  // CHECK: tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  // CHECK: tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %ptrs = tt.addptr %bases, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %limit = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<256xi32>
  // CHECK: tt.load %{{[^,]*}} : tensor<256x!tt.ptr<f32>>
  %a = tt.load %ptrs : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<256x!tt.ptr<f32>>
  %b = tt.load %ptrs, %mask : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = ca evictionPolicy = evict_last {isVolatile = true} : tensor<256x!tt.ptr<f32>>
  %c = tt.load %ptrs, %mask, %other cacheModifier = ca evictionPolicy = evict_last {isVolatile = true} : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}} : !tt.ptr<f32>
  %scalar = tt.load %base : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<256x!tt.ptr<f32>>
  tt.store %ptrs, %a : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wt evictionPolicy = evict_first : tensor<256x!tt.ptr<f32>>
  tt.store %ptrs, %b, %mask cacheModifier = wt evictionPolicy = evict_first : tensor<256x!tt.ptr<f32>>
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<256x!tt.ptr<f32>>, tensor<256xf32>, tensor<256xi1>) -> tensor<256xf32>
  %d = tt.atomic_rmw fadd, acq_rel, gpu, %ptrs, %c, %mask : (tensor<256x!tt.ptr<f32>>, tensor<256xf32>, tensor<256xi1>) -> tensor<256xf32>
  // CHECK: tt.atomic_rmw exch, relaxed, sys, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32) -> f32
  %e = tt.atomic_rmw exch, relaxed, sys, %base, %scalar : (!tt.ptr<f32>, f32) -> f32
  // CHECK: tt.atomic_cas acquire, cta, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32, f32) -> f32
  %f = tt.atomic_cas acquire, cta, %base, %scalar, %e : (!tt.ptr<f32>, f32, f32) -> f32
  // CHECK: tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (tensor<256x!tt.ptr<f32>>, tensor<256xi1>) -> tensor<256xf32>
  %h = tt.atomic_load acquire, gpu, %ptrs, %mask : (tensor<256x!tt.ptr<f32>>, tensor<256xi1>) -> tensor<256xf32>
  // CHECK: tt.atomic_load relaxed, cta, %{{.*}} : (!tt.ptr<f32>) -> f32
  %i = tt.atomic_load relaxed, cta, %base : (!tt.ptr<f32>) -> f32
  // CHECK: tt.atomic_store release, sys, %{{.*}}, %{{.*}}, %{{.*}} : tensor<256x!tt.ptr<f32>>
  tt.atomic_store release, sys, %ptrs, %h, %mask : tensor<256x!tt.ptr<f32>>
  %words = tt.bitcast %ptrs : tensor<256x!tt.ptr<f32>> -> tensor<256x!tt.ptr<i32>>
  // CHECK: tt.atomic_poll acquire, gpu, %{{.*}}, %{{.*}} : tensor<256x!tt.ptr<i32>>, tensor<256xi32> -> tensor<256xi1>
  %j = tt.atomic_poll acquire, gpu, %words, %limit : tensor<256x!tt.ptr<i32>>, tensor<256xi32> -> tensor<256xi1>
  %word = tt.bitcast %base : !tt.ptr<f32> -> !tt.ptr<i32>
  %timeout = arith.constant 1000 : i64
  // CHECK: tt.atomic_poll relaxed, cta, %{{.*}}, %{{.*}} timeout %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %k = tt.atomic_poll relaxed, cta, %word, %n timeout %timeout : !tt.ptr<i32>, i32 -> i1
  // CHECK: tt.load %{{.*}} : !tt.ptr<i8, 3>
  %g = tt.load %shared : !tt.ptr<i8, 3>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func public @block_pointer(
tt.func public @block_pointer(%base: !tt.ptr<f16>, %m: i64, %n: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %p = tt.make_tensor_ptr %base, [%m, %n], [%n, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<64x32xf16>>
  %q = tt.advance %p, [%zero, %step] : !tt.ptr<tensor<64x32xf16>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  %x = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
  tt.store %p, %x {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// CHECK-LABEL: tt.func public @descriptor(
// CHECK-SAME: !tt.tensordesc<tensor<1x32xf16>>
// CHECK-SAME: !tt.tensordesc<tensor<64x32xui32>>
tt.func public @descriptor(%base: !tt.ptr<f16>, %floats: !tt.ptr<f32>, %m: i32, %n: i32, %stride: i64, %rows: tensor<8xi32>, %row: !tt.tensordesc<tensor<1x32xf16>>, %integers: !tt.tensordesc<tensor<64x32xui32>>, %values: tensor<64x32xi32>) {
  %one = arith.constant 1 : i64
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<64x32xf16>>
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] : <f16>, <tensor<64x32xf16>>
  // CHECK: tt.make_tensor_descriptor %{{.*}} {roundToTF32} : <f32>, <tensor<64x32xf32>>
  %rounding = tt.make_tensor_descriptor %floats, [%m, %n], [%stride, %one] {roundToTF32} : <f32>, <tensor<64x32xf32>>
  // CHECK: tt.make_tensor_descriptor %{{.*}} {padding = 2 : i32} : <f16>, <tensor<64x32xf16>>
  %nan = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64x32xf16>>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  %x = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_store %d[%m, %n], %x : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  // CHECK: tt.descriptor_reduce max, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<64x32xui32>>, tensor<64x32xi32>
  tt.descriptor_reduce max, %integers[%m, %n], %values : !tt.tensordesc<tensor<64x32xui32>>, tensor<64x32xi32>
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
  %y = tt.descriptor_gather %row[%rows, %n] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32) -> tensor<8x32xf16>
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
  tt.descriptor_scatter %row[%rows, %n], %y : !tt.tensordesc<tensor<1x32xf16>>, tensor<8xi32>, i32, tensor<8x32xf16>
  tt.return
}

// CHECK-LABEL: tt.func public @elementwise(
tt.func public @elementwise(%x: tensor<64xf32>, %i: tensor<64xi64>, %h: tensor<64xf16>, %p: tensor<64x!tt.ptr<f32>>) {
  // CHECK: tt.int_to_ptr %{{.*}} : tensor<64xi64> -> tensor<64x!tt.ptr<f16>>
  %0 = tt.int_to_ptr %i : tensor<64xi64> -> tensor<64x!tt.ptr<f16>>
  // CHECK: tt.ptr_to_int %{{.*}} : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
  %1 = tt.ptr_to_int %p : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
  // CHECK: tt.bitcast %{{.*}} : tensor<64xf32> -> tensor<64xi32>
  %2 = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
  // CHECK: tt.bitcast %{{.*}} : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i8>>
  %3 = tt.bitcast %p : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i8>>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
  %4 = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<64xf8E5M2> -> tensor<64xf16>
  %5 = tt.fp_to_fp %4 : tensor<64xf8E5M2> -> tensor<64xf16>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : tensor<64xf32>
  %6 = tt.clampf %x, %x, %x, propagateNan = all : tensor<64xf32>
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<64xf32>
  %7 = tt.precise_sqrt %x : tensor<64xf32>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : tensor<64xf32>
  %8 = tt.precise_divf %x, %x : tensor<64xf32>
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : tensor<64xi64>
  %9 = tt.mulhiui %i, %i : tensor<64xi64>
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<64xf32>) -> tensor<64xf32>
  %10 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<64xf32>) -> tensor<64xf32>
  // CHECK: tt.extern_elementwise {libname = "", libpath = "", pure = false, symbol = "f"} : () -> i32
  %none = tt.extern_elementwise {libname = "", libpath = "", pure = false, symbol = "f"} : () -> i32
  // CHECK: tt.elementwise_inline_asm "shl.b32 $0, $0, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %{{.*}} : tensor<64xi64> -> tensor<64xi64>
  %11 = tt.elementwise_inline_asm "shl.b32 $0, $0, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %i : tensor<64xi64> -> tensor<64xi64>
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 1 : i32}> ({
  // CHECK: tt.map_elementwise.return %{{.*}} : i64
  %12 = "tt.map_elementwise"(%i) <{pack = 1 : i32}> ({
  ^bb0(%a: i64):
    %sum = arith.addi %a, %a : i64
    tt.map_elementwise.return %sum : i64
  }) : (tensor<64xi64>) -> tensor<64xi64>
  tt.return
}

// CHECK-LABEL: tt.func public @shapes(
tt.func public @shapes(%x: tensor<64x32xf16>, %v: tensor<32xf16>, %one: tensor<1x1xf16>, %i: tensor<16x32xi32>) {
  // CHECK: tt.unsplat %{{.*}} : tensor<1x1xf16>
  %0 = tt.unsplat %one : tensor<1x1xf16>
  // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<32xf16> -> tensor<1x32xf16>
  %1 = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf16> -> tensor<1x32xf16>
  // CHECK: tt.broadcast %{{.*}} : tensor<1x32xf16> -> tensor<64x32xf16>
  %2 = tt.broadcast %1 : tensor<1x32xf16> -> tensor<64x32xf16>
  // CHECK: tt.reshape %{{.*}} : tensor<64x32xf16> -> tensor<2048xf16>
  %3 = tt.reshape %x : tensor<64x32xf16> -> tensor<2048xf16>
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<64x32xf16> -> tensor<2048xf16>
  %4 = tt.reshape %x allow_reorder efficient_layout : tensor<64x32xf16> -> tensor<2048xf16>
  // CHECK: tt.cat %{{.*}}, %{{.*}} : tensor<32xf16> -> tensor<64xf16>
  %5 = tt.cat %v, %v : tensor<32xf16> -> tensor<64xf16>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<64x32xf16> -> tensor<64x32x2xf16>
  %6 = tt.join %x, %2 : tensor<64x32xf16> -> tensor<64x32x2xf16>
  // CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<64x32x2xf16> -> tensor<64x32xf16>
  %7, %8 = tt.split %6 : tensor<64x32x2xf16> -> tensor<64x32xf16>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
  %9 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<64x32xf16>, tensor<16x32xi32>) -> tensor<16x32xf16>
  %10 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64x32xf16>, tensor<16x32xi32>) -> tensor<16x32xf16>
  tt.return
}

// CHECK-LABEL: tt.func public @compute(
tt.func public @compute(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>, %a8: tensor<64x64xi8>, %scale: tensor<64x4xi8>, %b8: tensor<128x64xf8E4M3FN>, %i: tensor<64xi32>, %cond: tensor<64xi1>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} {maxNumImpreciseAcc = 32 : i32} : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %1 = tt.dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<64x64xi8>, tensor<64x4xi8> * tensor<128x64xf8E4M3FN> -> tensor<64x64xf32>
  %2 = tt.dot_scaled %a8 scale %scale, %b8, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<64x64xi8>, tensor<64x4xi8> * tensor<128x64xf8E4M3FN> -> tensor<64x64xf32>
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK: tt.reduce.return %{{.*}} : f32
  // CHECK-NEXT: }) : (tensor<64x32xf32>) -> tensor<64xf32>
  %3 = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  // CHECK: (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  %4:2 = "tt.reduce"(%3, %i) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %li: i32, %r: f32, %ri: i32):
    tt.reduce.return %l, %ri : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse = false}> ({
  // CHECK: tt.scan.return %{{.*}} : i32
  %5 = "tt.scan"(%i) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    tt.scan.return %s : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  // CHECK: tt.histogram %{{.*}} : tensor<64xi32> -> tensor<16xi32>
  %6 = tt.histogram %i : tensor<64xi32> -> tensor<16xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<64xi32> -> tensor<16xi32>
  %7 = tt.histogram %i, %cond : tensor<64xi32> -> tensor<16xi32>
  // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %{{.*}} : tensor<64xi32>
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %i : tensor<64xi32>
  // CHECK: tt.print "here" {hex = true, isSigned = array<i32>}
  tt.print "here" {hex = true, isSigned = array<i32>}
  // CHECK: tt.assert %{{.*}}, "positive" : tensor<64xi1>
  tt.assert %cond, "positive" : tensor<64xi1>
  // CHECK: tt.call @helper(%{{.*}}) : (tensor<64xi32>) -> (i32, tensor<64xi32>)
  %8:2 = tt.call @helper(%i) : (tensor<64xi32>) -> (i32, tensor<64xi32>)
  tt.return
}

// CHECK-LABEL: tt.func private @helper(
// CHECK-SAME: -> (i32, tensor<64xi32>) attributes {noinline = true}
tt.func private @helper(%i: tensor<64xi32>) -> (i32, tensor<64xi32>) attributes {noinline = true} {
  %zero = arith.constant 0 : i32
  // CHECK: tt.return %{{.*}}, %{{.*}} : i32, tensor<64xi32>
  tt.return %zero, %i : i32, tensor<64xi32>
}
