// Functions of the LLVM dialect hold no tensors and stay as they are.
// RUN: triton-opt --convert-triton-to-tritongpu=target=cuda:90 %s | FileCheck %s

// CHECK: llvm.func @lowered(%{{.*}}: i32, %{{.*}}: f32) -> i32 {
llvm.func @lowered(%a: i32, %b: f32) -> i32 {
  llvm.return %a : i32
}
