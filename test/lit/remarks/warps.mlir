// RUN: triton-opt --tritongpu-limit-warps="target=cuda:90 num-warps=8" --verify-diagnostics --remark-format=emitRemark --remarks-filter-passed=.* %s -o /dev/null

// expected-remark @below {{Reason="each thread then moves a whole vector of every tensor", Remark="2 warps run instead of 8", requested=8, warps=2}}
tt.func @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %a = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %b = tt.addptr %a, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %b : tensor<256x!tt.ptr<f32>>
  %c = tt.splat %q : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %d = tt.addptr %c, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %d, %x : tensor<256x!tt.ptr<f32>>
  tt.return
}
