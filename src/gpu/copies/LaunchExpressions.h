// Values that a launch can compute from the arguments of a kernel: as text that base::LaunchExpression reads.
#pragma once

#include "ir/Dialect.h"

#include <optional>
#include <string>

namespace triton::ttg {

struct LaunchValue {
  std::string text;
  uint64_t divisibility = 1;   ///< the value, or the address in bytes, is a multiple of this
  mlir::BlockArgument pointer; ///< the argument that an address derives from; null of numbers
};

/// `value`, a scalar of a function without unstructured control flow; none where it depends on anything but arguments
/// and constants, or by other means than addition, subtraction, multiplication and division.
std::optional<LaunchValue> findLaunchValue(mlir::Value value);

/// The argument of the kernel that `pointer` derives from by offsets of any kind, in `pointer`; none where there is no
/// such argument.
std::optional<LaunchValue> findPointerArgument(mlir::Value pointer);

/// As the user knows it.
std::string nameOfArgument(mlir::BlockArgument argument);

} // namespace triton::ttg
