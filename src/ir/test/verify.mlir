// RUN: triton-opt --split-input-file --verify-diagnostics %s

tt.func @extent_not_power_of_two(%x: f32) {
  // expected-error @below {{'tt.splat' op has 'tensor<48xf32>', but every extent of a tensor must be a power of two}}
  %0 = tt.splat %x : f32 -> tensor<48xf32>
  tt.return
}

// -----

tt.func @too_many_elements(%x: f32) {
  // expected-error @below {{'tt.splat' op has 'tensor<2048x1024xf32>', but a tensor holds at most 1048576 elements}}
  %0 = tt.splat %x : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

tt.func @splat_of_other_type(%x: f32) {
  // expected-error @below {{'tt.splat' op repeats 'f32', but the elements are 'f16'}}
  %0 = tt.splat %x : f32 -> tensor<64xf16>
  tt.return
}

// -----

tt.func @range_of_other_length() {
  // expected-error @below {{'tt.make_range' op has 128 elements, but its type is 'tensor<64xi32>'}}
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<64xi32>
  tt.return
}

// -----

tt.func @empty_range() {
  // expected-error @below {{'tt.make_range' op goes from 64 to 64, but the start must be below the end}}
  %0 = tt.make_range {end = 64 : i32, start = 64 : i32} : tensor<64xi32>
  tt.return
}

// -----

tt.func @range_of_other_element() {
  // expected-error @below {{'tt.make_range' op has elements of type 'i64', they must be i32}}
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi64>
  tt.return
}

// -----

tt.func @mask_of_other_shape(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<32xi1>) {
  // expected-error @below {{mask type matches ptr type}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<f32>>, tensor<32xi1>) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @load_of_other_type(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error @below {{'tt.load' op failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'tensor<64xf32>' are incompatible with return type(s) of operation 'tensor<64xf16>'}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x!tt.ptr<f32>>) -> tensor<64xf16>
  tt.return
}

// -----

tt.func @other_without_mask(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.load' op has a value for masked elements, but no mask}}
  %0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @boundary_of_plain_pointer(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error @below {{'tt.load' op has boundaryCheck, but 'tensor<64x!tt.ptr<f32>>' is not a block pointer}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @padding_of_plain_pointer(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error @below {{'tt.load' op has padding, but 'tensor<64x!tt.ptr<f32>>' is not a block pointer}}
  %0 = tt.load %p {padding = 1 : i32} : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @halves_rounded_to_tf32(%p: !tt.ptr<f16>, %m: i32, %stride: i64) {
  // expected-error @below {{'tt.make_tensor_descriptor' op rounds to tf32, but the elements are 'f16'}}
  %0 = tt.make_tensor_descriptor %p, [%m], [%stride] {roundToTF32} : <f16>, <tensor<64xf16>>
  tt.return
}

// -----

tt.func @nan_padding_of_integers(%p: !tt.ptr<tensor<64xi32>>) {
  // expected-error @below {{'tt.load' op pads with nan, but the elements are 'i32'}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<64xi32>>
  tt.return
}

// -----

tt.func @boundary_out_of_rank(%p: !tt.ptr<tensor<64xf32>>) {
  // expected-error @below {{'tt.load' op checks dimension 1, but the block has rank 1}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64xf32>>
  tt.return
}

// -----

tt.func @boundary_twice(%p: !tt.ptr<tensor<64xf32>>, %x: tensor<64xf32>) {
  // expected-error @below {{'tt.store' op checks dimension 0 twice}}
  tt.store %p, %x {boundaryCheck = array<i32: 0, 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
}

// -----

tt.func @mask_of_block_pointer(%p: !tt.ptr<tensor<64xf32>>, %m: tensor<64xi1>) {
  // expected-error @below {{'tt.load' op has a mask, but a block pointer is masked by boundaryCheck alone}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<64xf32>>
  tt.return
}

// -----

tt.func @store_of_other_type(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf16>) {
  // expected-error @below {{value type matches ptr type}}
  "tt.store"(%p, %x) : (tensor<64x!tt.ptr<f32>>, tensor<64xf16>) -> ()
  tt.return
}

// -----

tt.func @extremum_of_wide_floats(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.atomic_rmw' op applies max to 'f32', which needs an integer}}
  %0 = tt.atomic_rmw max, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @float_addition_of_integers(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_rmw' op applies fadd to 'i32', which needs a floating-point type}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @load_that_releases(%p: !tt.ptr<i32>) {
  // expected-error @below {{'tt.atomic_load' op is release, but must be acquire or relaxed}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func @store_of_a_bit(%p: !tt.ptr<i1>, %x: i1) {
  // expected-error @below {{'tt.atomic_store' op accesses elements of type 'i1', but needs numbers of 8 bits or more}}
  tt.atomic_store release, gpu, %p, %x : !tt.ptr<i1>
  tt.return
}

// -----

tt.func @poll_of_floats(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.atomic_poll' op polls elements of type 'f32', but needs integers of 16, 32 or 64 bits}}
  %0 = tt.atomic_poll acquire, gpu, %p, %x : !tt.ptr<f32>, f32 -> i1
  tt.return
}

// -----

tt.func @block_rank(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op has 1 extents, but the block has rank 2}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  tt.return
}

// -----

tt.func @block_order(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op has an order that is not a permutation of the 2 dimensions}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 1>} : <tensor<64x32xf32>>
  tt.return
}

// -----

tt.func @advance_rank(%p: !tt.ptr<tensor<64x32xf32>>, %i: i32) {
  // expected-error @below {{'tt.advance' op has 1 offsets, but the block has rank 2}}
  %0 = tt.advance %p, [%i] : <tensor<64x32xf32>>
  tt.return
}

// -----

tt.func @bitcast_of_other_width(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.bitcast' op casts 'f32' to 'i16', but both must have the same width}}
  %0 = tt.bitcast %x : tensor<64xf32> -> tensor<64xi16>
  tt.return
}

// -----

tt.func @bitcast_of_pointer(%x: i64) {
  // expected-error @below {{'tt.bitcast' op casts 'i64' to '!tt.ptr<f32>', but pointers and numbers do not mix; use tt.ptr_to_int or tt.int_to_ptr}}
  %0 = tt.bitcast %x : i64 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @rounding_missing(%x: f32) {
  // expected-error @below {{'tt.fp_to_fp' op narrows 32 bits to 8, so it must state its rounding}}
  %0 = tt.fp_to_fp %x : f32 -> f8E5M2
  tt.return
}

// -----

tt.func @rounding_of_widening(%x: f16) {
  // expected-error @below {{'tt.fp_to_fp' op converts 16 bits to 32; a conversion to more bits has no rounding to state}}
  %0 = tt.fp_to_fp %x, rounding = rtz : f16 -> f32
  tt.return
}

// -----

tt.func @expand_dims_rank(%x: tensor<64xf32>) {
  // expected-error @below {{inserts a dimension at 2, but the operand has rank 1}}
  // expected-error @below {{'tt.expand_dims' op failed to infer returned types}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  tt.return
}

// -----

tt.func @reshape_elements(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.reshape' op makes 'tensor<8x4xf32>' of 'tensor<64xf32>', but both must have as many elements}}
  %0 = tt.reshape %x : tensor<64xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @broadcast_of_extent(%x: tensor<2x32xf32>) {
  // expected-error @below {{'tt.broadcast' op changes dimension 0 from 2 to 64, but only an extent of 1 can grow}}
  %0 = tt.broadcast %x : tensor<2x32xf32> -> tensor<64x32xf32>
  tt.return
}

// -----

tt.func @broadcast_of_rank(%x: tensor<32xf32>) {
  // expected-error @below {{'tt.broadcast' op makes 'tensor<64x32xf32>' of 'tensor<32xf32>', but both must have the same rank}}
  %0 = tt.broadcast %x : tensor<32xf32> -> tensor<64x32xf32>
  tt.return
}

// -----

tt.func @cat_rank(%x: tensor<4x32xf32>) {
  // expected-error @below {{'tt.cat' op makes 'tensor<8x32xf32>' of two 'tensor<4x32xf32>', but it takes two tensors of rank 1 to one of twice the extent}}
  %0 = tt.cat %x, %x : tensor<4x32xf32> -> tensor<8x32xf32>
  tt.return
}

// -----

tt.func @split_extent(%x: tensor<32x4xf32>) {
  // expected-error @below {{splits 'tensor<32x4xf32>', whose last extent must be 2}}
  // expected-error @below {{'tt.split' op failed to infer returned types}}
  %0, %1 = tt.split %x : tensor<32x4xf32> -> tensor<32xf32>
  tt.return
}

// -----

tt.func @trans_order(%x: tensor<32x4xf32>) {
  // expected-error @below {{permutes the dimensions in an order that is not a permutation of all 2}}
  // expected-error @below {{'tt.trans' op failed to infer returned types}}
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<32x4xf32> -> tensor<4x32xf32>
  tt.return
}

// -----

tt.func @unsplat_elements(%x: tensor<2xf32>) {
  // expected-error @below {{'tt.unsplat' op takes the value of 'tensor<2xf32>', which must have exactly one element}}
  %0 = tt.unsplat %x : tensor<2xf32>
  tt.return
}

// -----

tt.func @gather_extent(%x: tensor<8x32xf32>, %i: tensor<4x16xi32>) {
  // expected-error @below {{'tt.gather' op picks from 'tensor<8x32xf32>' by 'tensor<4x16xi32>', but only dimension 0 may differ}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x32xf32>, tensor<4x16xi32>) -> tensor<4x16xf32>
  tt.return
}

// -----

tt.func @dot_extents(%a: tensor<64x32xf32>, %b: tensor<16x64xf32>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tt.dot' op multiplies 'tensor<64x32xf32>' by 'tensor<16x64xf32>' into 'tensor<64x64xf32>', but the extents do not fit}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf32> * tensor<16x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @dot_rank(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<1xf32>) {
  // expected-error @below {{but all must be matrices or batches of them}}
  %0 = tt.dot %a, %b, %c : tensor<64xf32> * tensor<64xf32> -> tensor<1xf32>
  tt.return
}

// -----

tt.func @dot_elements(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %c: tensor<64x64xf32>) {
  // expected-error @below {{but integers and floating-point numbers do not mix}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @reduce_axis(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.reduce' op combines along dimension 1, but the operand has rank 1}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_region(%x: tensor<64xf32>) {
  // expected-error @below {{'tt.reduce' op must have a region with arguments ('f32', 'f32')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f16):
    tt.reduce.return %a : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_outer_tensor(%x: tensor<64xf32>, %t: tensor<1xf32>) {
  // expected-error @below {{'tt.reduce' op must have a region that takes no tensor; it combines scalars}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %y = tt.unsplat %t : tensor<1xf32>
    tt.reduce.return %y : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

tt.func @scan_result(%x: tensor<64xf32>, %y: f16) {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.truncf %a : f32 to f16
    // expected-error @below {{'tt.scan.return' op must return ('f32')}}
    tt.scan.return %c : f16
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @print_signs(%x: i32) {
  // expected-error @below {{'tt.print' op states the sign of 0 operands, but prints 1}}
  tt.print "x" {hex = false, isSigned = array<i32>} : %x : i32
  tt.return
}

// -----

tt.func @descriptor_offsets(%d: !tt.tensordesc<tensor<64x32xf32>>, %i: i32) {
  // expected-error @below {{'tt.descriptor_load' op has 1 offsets, but the descriptor has rank 2}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<64x32xf32>> -> tensor<64x32xf32>
  tt.return
}

// -----

tt.func @descriptor_block(%d: !tt.tensordesc<tensor<64x32xf32>>, %i: i32, %x: tensor<32x32xf32>) {
  // expected-error @below {{'tt.descriptor_store' op accesses 'tensor<32x32xf32>', but the descriptor's block is 'tensor<64x32xf32>'}}
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x32xf32>>, tensor<32x32xf32>
  tt.return
}

// -----

tt.func @gather_from_blocks(%d: !tt.tensordesc<tensor<64x32xf32>>, %rows: tensor<8xi32>, %i: i32) {
  // expected-error @below {{'tt.descriptor_gather' op needs a descriptor whose block is one row, not 'tensor<64x32xf32>'}}
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<64x32xf32>>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  tt.return
}

// -----

tt.func @unknown_callee() {
  // expected-error @below {{'tt.call' op calls `nowhere`, but there is no such function in this module}}
  tt.call @nowhere() : () -> ()
  tt.return
}

// -----

// expected-note @below {{declared here}}
tt.func private @callee(%x: f32)
tt.func @call_types(%x: i32) {
  // expected-error @below {{'tt.call' op passes ('i32') to `callee`, which takes ('f32')}}
  tt.call @callee(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func @return_types(%x: i32) -> f32 {
  // expected-error @below {{'tt.return' op returns ('i32'), but the function's results are ('f32')}}
  tt.return %x : i32
}

// -----

// expected-error @below {{address space is -1, it must not be negative}}
tt.func @address_space(%p: !tt.ptr<f32, -1>) {
  tt.return
}

// -----

tt.func @assembly_without_operands() {
  // expected-error @below {{'tt.elementwise_inline_asm' op if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, 1;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> tensor<64xi32>
  tt.return
}

// -----

tt.func @assembly_of_other_shape(%x: tensor<32xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<32xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @packs(%x: tensor<4xi32>) {
  // expected-error @below {{packs 2147483648 elements, the number must be a power of two up to 1024}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 2147483648 : i32, pure = true} %x : tensor<4xi32> -> tensor<4xi32>
  tt.return
}
