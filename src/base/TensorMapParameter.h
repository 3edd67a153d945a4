// The tensor maps that a launch passes behind the runtime arguments of a kernel: descriptions of arrays in global
// memory for the bulk copies of a GPU, of numbers that the launch computes.
#pragma once

#include "base/Signature.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triton::base {

/// An integer that a launch computes from the runtime arguments, in postfix order and modulo 2^64.
struct LaunchExpression {
  enum class Kind : uint8_t {
    Argument, ///< `value` is its index among the runtime arguments
    Constant, ///< `value`
    Add,
    Subtract,
    Multiply,
    Divide,       ///< signed, towards zero
    SignExtend32, ///< of the low 32 bits
  };
  struct Step {
    Kind kind;
    int64_t value = 0;
    bool operator==(const Step &) const = default;
  };
  std::vector<Step> steps;

  /// Whether the steps leave one number and every argument is one of so many.
  bool isValid(std::size_t argumentCount) const;
  /// For valid expressions. Throws LaunchError for a division by zero.
  int64_t evaluate(std::span<const uint64_t> slots, std::span<const RuntimeArgument> arguments) const;
  /// "arg:3 const:64 mul"; the operations are add, sub, mul, div and sext32.
  std::string str() const;
  static std::optional<LaunchExpression> parse(std::string_view text);
  bool operator==(const LaunchExpression &) const = default;
};

/// The value in an argument's slot, extended as its type says; floating-point numbers by their bits.
int64_t readSlot(uint64_t slot, const ElementType &type);

/// A tensor map that a kernel takes as a parameter of 128 bytes by value. Dimensions are those of the program, the
/// contiguous one last.
struct TensorMapParameter {
  std::string name; ///< the descriptor or its base pointer, as the user knows it
  ScalarType element = ScalarType::Void;
  LaunchExpression base;                 ///< an address in bytes
  std::vector<LaunchExpression> shape;   ///< in elements
  std::vector<LaunchExpression> strides; ///< in elements, of all dimensions but the last
  std::vector<uint32_t> box;             ///< the elements that a copy moves
  unsigned swizzleBytes = 0;             ///< in which 16-byte pieces change places: 0, 32, 64 or 128
  bool padsWithNaN = false;              ///< what lies beyond the array reads as NaN rather than zero
  bool roundsToTF32 = false;
  bool fp4Padded = false; ///< an element holds two floats of 4 bits, of which 16 take 16 bytes of a buffer

  bool operator==(const TensorMapParameter &) const = default;
};

/// What is wrong with a tensor map of a kernel with so many runtime arguments, as a message; empty when nothing is.
std::string checkTensorMap(const TensorMapParameter &map, std::size_t argumentCount);

} // namespace triton::base
