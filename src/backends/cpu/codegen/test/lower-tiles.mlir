// RUN: triton-opt --triton-cpu-lower-tiles=arch=znver5 --cse --split-input-file %s | FileCheck %s

// Accesses are contiguous; full vectors in an unmasked loop, then a masked edge that ends with the last element.
// CHECK: module attributes {triton_cpu.scratch_bytes = 512 : i64}
// CHECK-LABEL: llvm.func @add(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[FULL:.*]] step %c16_i64
// CHECK-NOT: masked
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK: scf.for %{{.*}} = %[[FULL]] to %{{.*}} step %c16_i64
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: llvm.store
tt.func public @add(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c = arith.constant 65536 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c : i32
  %range = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %starts = tt.splat %start : i32 -> tensor<65536xi32>
  %i = arith.addi %starts, %range : tensor<65536xi32>
  %ns = tt.splat %n : i32 -> tensor<65536xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<65536xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %v = tt.load %xp, %mask : tensor<65536x!tt.ptr<f32>>
  %s = arith.addf %v, %v : tensor<65536xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  tt.store %op, %s, %mask : tensor<65536x!tt.ptr<f32>>
  tt.return
}

// -----

// A loaded index makes a gather off one scalar base.
// CHECK-LABEL: llvm.func @gather
// CHECK: %[[I:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xi32>
// CHECK: llvm.getelementptr %{{.*}}[%[[I]]] : (!llvm.ptr, vector<16xi32>) -> vector<16x!llvm.ptr>, f32
// CHECK: llvm.intr.masked.gather
tt.func public @gather(%x: !tt.ptr<f32>, %index: !tt.ptr<i32>, %o: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %is = tt.splat %index : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ip = tt.addptr %is, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %j = tt.load %ip : tensor<128x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %op, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// The remainder by a multiple of the vector's length is one scalar division a vector, and the load stays contiguous.
// CHECK-LABEL: llvm.func @wrap
// CHECK: %[[R:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[R]]]
// CHECK: llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
tt.func public @wrap(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %r = arith.remsi %i, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// The remainder is known to count on within as many lanes as a vector of 32-bit numbers has. Vectors of bytes are cut to
// that length, and the loads stay contiguous.
// CHECK-LABEL: llvm.func @wrap_bytes
// CHECK-NOT: x!llvm.ptr>
// CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK-NOT: x!llvm.ptr>
// CHECK: llvm.store %{{.*}} : vector<16xi8>, !llvm.ptr
tt.func public @wrap_bytes(%x: !tt.ptr<i8>, %o: !tt.ptr<i8>, %n: i32 {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %r = arith.remsi %i, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i8>>
  %os = tt.splat %o : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
  tt.store %op, %v : tensor<1024x!tt.ptr<i8>>
  tt.return
}

// -----

// Half precision is an integer in memory and computed in single precision, and booleans are bytes in memory.
// CHECK-LABEL: llvm.func @narrow
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xi16>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: %[[B:.*]] = arith.extui %{{.*}} : vector<16xi1> to vector<16xi8>
// CHECK: llvm.store %[[B]]
tt.func public @narrow(%x: !tt.ptr<f16>, %o: !tt.ptr<i1>) {
  %zero = arith.constant dense<0.0> : tensor<256xf16>
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f16>>
  %s = arith.addf %v, %v : tensor<256xf16>
  %b = arith.cmpf ogt, %s, %zero : tensor<256xf16>
  %os = tt.splat %o : !tt.ptr<i1> -> tensor<256x!tt.ptr<i1>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<i1>>, tensor<256xi32>
  tt.store %op, %b : tensor<256x!tt.ptr<i1>>
  tt.return
}

// -----

// Masked accesses of bf16 are those of i16: LLVM would convert what it takes apart. One thread runs a program, so that
// barriers go.
// CHECK-LABEL: llvm.func @masked_bf16
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %{{.*}} : (!llvm.ptr, vector<[[W:[0-9]+]]xi1>, vector<[[W]]xi16>) -> vector<[[W]]xi16>
// CHECK: arith.extui %[[LOADED]] : vector<[[W]]xi16> to vector<[[W]]xi32>
// CHECK: llvm.intr.masked.store %{{.*}} : vector<[[W]]xi16>, vector<[[W]]xi1> into !llvm.ptr
// CHECK-NOT: gpu.barrier
tt.func public @masked_bf16(%p: !tt.ptr<bf16>, %o: !tt.ptr<bf16>, %n: i32) {
  %other = arith.constant dense<1.0> : tensor<16xbf16>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<bf16> -> tensor<16x!tt.ptr<bf16>>
  %pp = tt.addptr %ps, %i : tensor<16x!tt.ptr<bf16>>, tensor<16xi32>
  %x = tt.load %pp, %mask, %other : tensor<16x!tt.ptr<bf16>>
  gpu.barrier
  %y = arith.negf %x : tensor<16xbf16>
  %os = tt.splat %o : !tt.ptr<bf16> -> tensor<16x!tt.ptr<bf16>>
  %op = tt.addptr %os, %i : tensor<16x!tt.ptr<bf16>>, tensor<16xi32>
  tt.store %op, %y, %mask : tensor<16x!tt.ptr<bf16>>
  tt.return
}
