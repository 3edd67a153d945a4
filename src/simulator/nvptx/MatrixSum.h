// The sums of the matrix units. Source: measurements on an H200, reproduced bit for bit by the tests.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace triton::simulator::nvptx {

/// One product's factors or the addend of a matrix-unit sum: value = (-1)^negative * significand * 2^exponent.
enum class MatrixElement : uint8_t { Half, BFloat, TF32, Single };

/// a[0]*b[0] + ... + c as sm_90's matrix units add: every term is truncated toward zero to a multiple of 2^(E-25),
/// where E is the largest sum of stored exponents (or c's exponent), the terms are added exactly, and the sum is
/// truncated to f32, or rounded to nearest even to f16. Elements are given by their bits.
uint32_t matrixSum(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b, uint32_t c, MatrixElement element,
                   bool halfAccumulator);

} // namespace triton::simulator::nvptx
