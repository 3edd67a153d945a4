// RUN: triton-opt --convert-triton-to-tritongpu="target=cuda:80 num-warps=1" --verify-diagnostics %s

// Even 8192 elements are many more than a thread has registers.
tt.func @large() {
  %a = tt.make_range {start = 0 : i32, end = 262144 : i32} : tensor<262144xi32>
  // expected-error @below {{not supported on cuda:80: a tensor of 524288 elements gives each of 32 threads 16384, more than 8192}}
  %b = tt.make_range {start = 0 : i32, end = 524288 : i32} : tensor<524288xi32>
  tt.return
}
