// RUN: triton-opt --tritongpu-report-work --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Why accesses are narrow, or use little of the memory that they touch.

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
!wide = tensor<512x!tt.ptr<f32>, #wide>
!single = tensor<512x!tt.ptr<f32>, #single>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @fine(%p: !wide {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}) {
    %x = tt.load %p : !wide
    tt.return
  }
  tt.func @contiguity(%p: !wide {tt.divisibility = 16 : i32}, %pairs: !wide {tt.divisibility = 16 : i32, tt.contiguity = 2 : i32}) {
    // expected-remark @below {{Reason="neighbouring elements are not known to be neighbours in memory", Remark="the load moves 4 bytes of a thread at once where 16 are possible", Suggestion="a stride}}
    // expected-remark @below {{Reason="the elements of a warp lie in 32 sectors of 32 bytes, where 4 would hold them", Remark="the load uses 12 % of the memory that it touches"}}
    %x = tt.load %p : !wide
    // expected-remark @below {{Reason="only 2 elements are known to be neighbours in memory", Remark="the store moves 8 bytes of a thread at once where 16 are possible"}}
    // expected-remark @below {{the store uses 25 %}}
    tt.store %pairs, %x : !wide
    tt.return
  }
  tt.func @alignment(%p: !wide {tt.divisibility = 8 : i32, tt.contiguity = 512 : i32}) {
    // Half of the elements of a thread are of another request.
    // expected-remark @below {{the load uses 47 %}}
    // expected-remark @below {{Reason="addresses are only known to be multiples of 8 bytes"}}
    %x = tt.load %p : !wide
    tt.return
  }
  tt.func @mask(%p: !wide {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}, %m: tensor<512xi1, #wide>, %pairs: tensor<512xi1, #wide> {tt.constancy = 2 : i32}) {
    // expected-remark @below {{Reason="neighbouring elements are not known to be masked alike"}}
    // expected-remark @below {{the load uses 25 %}}
    %x = tt.load %p, %m : !wide
    // expected-remark @below {{Reason="only 2 neighbouring elements are known to be masked alike"}}
    %y = tt.load %p, %pairs : !wide
    tt.return
  }
  // The layout alone makes the accesses narrow, unless the mask does.
  tt.func @layout(%p: !single {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}, %m: tensor<512xi1, #single>) {
    // expected-remark @below {{Reason="the layout gives a thread only 1 neighbouring element"}}
    %x = tt.load %p : !single
    // expected-remark @below {{Reason="neighbouring elements are not known to be masked alike"}}
    %y = tt.load %p, %m : !single
    tt.return
  }
  // Each thread reads 16 bytes of another row: half of a sector.
  tt.func @scattered(%p: tensor<128x4x!tt.ptr<f32>, #rows> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 4]> : tensor<2xi32>}) {
    %x = tt.load %p : tensor<128x4x!tt.ptr<f32>, #rows>
    tt.return
  }
  // A thread that has one element cannot move more.
  tt.func @few(%p: tensor<128x!tt.ptr<f32>, #single> {tt.divisibility = 16 : i32, tt.contiguity = 128 : i32}) {
    %x = tt.load %p : tensor<128x!tt.ptr<f32>, #single>
    tt.return
  }
}
