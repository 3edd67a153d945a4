// How a tool of the host lets simulated launches check that kernels access only the elements of their arguments, where
// these are views of larger arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triton::base {

/// The elements of an array argument.
struct ArrayElements {
  struct Dimension {
    std::size_t extent, stride; ///< stride: in bytes
  };
  unsigned argument = 0; ///< index among the runtime arguments
  uintptr_t begin = 0;
  std::size_t elementBytes = 0;
  std::vector<Dimension> dimensions;
  bool isRestOwn = false; ///< nothing else refers to the rest of the memory, such as a padding
};

/// For the launches that this thread starts while the object lives.
class CheckedViews {
public:
  explicit CheckedViews(std::span<const ArrayElements> views) : before(current) { current = views; }
  ~CheckedViews() { current = before; }
  CheckedViews(const CheckedViews &) = delete;
  CheckedViews &operator=(const CheckedViews &) = delete;

  /// Without those of arguments whose whole memory may be accessed.
  static std::span<const ArrayElements> ofLaunch() { return current; }

private:
  static inline thread_local std::span<const ArrayElements> current;
  std::span<const ArrayElements> before;
};

} // namespace triton::base
