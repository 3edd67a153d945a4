// MLIR's parser crashes on an array of index; we say what is wrong before it sees it.
// RUN: not triton-opt %s 2>&1 | FileCheck %s

// In strings and comments it is nothing special: array<index: 1>.
module attributes {ok = "array<index: 1>", also = array<i64: 1>,
// CHECK: array-of-index.mlir:[[# @LINE + 1]]:8: error: an array attribute holds integers of a width or floats
  no = array< index: 1>} {}
