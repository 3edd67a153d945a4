// RUN: triton-opt --triton-ttgir=target=cuda:90 --dump-pass-pipeline %s 2>&1 | FileCheck %s

// The rules of TTGIR are checked at the end of each part of the stage: those about schedules until these are expanded,
// those about barriers once they are there, those about rings from when they are made.

// CHECK: tritongpu-limit-warps
// CHECK-NEXT: tritongpu-verify-ttgir{has-barriers=false has-new-rings=false is-pipelined=false is-specialized=false
// CHECK-NEXT: convert-triton-to-tritongpu
// CHECK: tritongpu-coalesce
// CHECK-NEXT: tritongpu-verify-ttgir{has-barriers=false has-new-rings=false is-pipelined=false is-specialized=false
// CHECK-NEXT: tritongpu-split-f32-dots
// CHECK: tritongpu-reorder-instructions
// CHECK-NEXT: tritongpu-park-operands
// CHECK-NEXT: tritongpu-verify-ttgir{has-barriers=false has-new-rings=false is-pipelined=false is-specialized=false
// CHECK-NEXT: tritongpu-buffer-mapped-stores
// CHECK-NEXT: tritongpu-specialize-warps
// CHECK-NEXT: tritongpu-verify-ttgir{has-barriers=false has-new-rings=true is-pipelined=false is-specialized=true
// CHECK-NEXT: tritongpu-flatten-loops
// CHECK: tritongpu-overlap-dots
// CHECK-NEXT: tritongpu-verify-ttgir{has-barriers=false has-new-rings=false is-pipelined=true is-specialized=true
// CHECK-NEXT: tritongpu-fence-async-proxy
// CHECK: tritongpu-alternate-groups
// CHECK-NEXT: tritongpu-verify-ttgir{has-barriers=true has-new-rings=false is-pipelined=true is-specialized=true
