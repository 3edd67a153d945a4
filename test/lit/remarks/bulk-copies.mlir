// RUN: triton-opt --triton-rewrite-tensor-descriptor-to-pointer="bulk-copy-obstacle=because" --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

tt.func @accesses(%base: !tt.ptr<f32>, %d: !tt.tensordesc<tensor<8x32xf32>>, %rows: tensor<8xi32>, %i: i32) {
  // expected-remark @below {{Reason=because, Remark="the block of the tensor descriptor is accessed through pointers"}}
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x32xf32>> -> tensor<8x32xf32>
  // expected-remark @below {{the block of the tensor descriptor is accessed through pointers}}
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<8x32xf32>>, tensor<8x32xf32>
  // expected-remark @below {{the block of the tensor descriptor is accessed through pointers}}
  tt.descriptor_reduce add, %d[%i, %i], %x : !tt.tensordesc<tensor<8x32xf32>>, tensor<8x32xf32>
  tt.return
}
