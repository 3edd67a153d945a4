// What a kernel may access through a pointer parameter, and what the accesses at one place may reach.
#pragma once

#include "simulator/core/Memory.h"

#include "llvm/ADT/SmallVector.h"

namespace triton::simulator {

class Program;

/// The elements of an array that a view of it has: every combination of an index for each dimension.
class StridedView {
public:
  struct Dimension {
    std::size_t extent, stride; ///< stride: in bytes
  };
  /// The last dimension is the innermost; each extent is at least 1.
  StridedView(uintptr_t begin, std::size_t elementBytes, std::vector<Dimension> dimensions);

  /// Whether all bytes belong to elements of the view. A view whose elements overlap, or lie in no order, is taken as
  /// all bytes from its first to its last one.
  bool contains(uintptr_t address, std::size_t size) const;
  /// `(3, 110)`: the indices of the element at an address behind the view's begin, the outer ones as large as they can
  /// be.
  std::string indexAt(uintptr_t address) const;
  std::string shape() const; ///< `(64, 100)`

  uintptr_t begin;

private:
  std::vector<Dimension> dimensions;
  std::vector<Dimension> levels; ///< of runs of bytes without gaps: the largest stride comes first
  std::size_t run;               ///< bytes
};

/// The memory that a kernel may access through the pointers of a parameter.
struct ParameterMemory {
  unsigned parameter = 0;
  Allocation array;                ///< named by the parameter
  std::optional<StridedView> view; ///< if only a part of the array is meant
  bool isRestOwn = false;          ///< writes to other parts change what nothing else refers to
};

/// The memory that an access may reach: that of the parameters which its address comes from.
class ReachableMemory {
public:
  bool allows(uintptr_t address, std::size_t size, bool writes) const {
    for (const ParameterMemory *part : parts)
      if (isIn(*part, address, size, writes))
        return true;
    return parts.empty();
  }
  /// The parameter that is meant; null if that is not known.
  const ParameterMemory *meant() const { return parts.empty() ? nullptr : parts.front(); }

  /// By the places of a program: what the accesses there may reach.
  static std::vector<ReachableMemory> ofPlaces(const Program &program, const std::vector<ParameterMemory> &parameters);

private:
  static bool isIn(const ParameterMemory &part, uintptr_t address, std::size_t size, bool writes) {
    return isInside(address, size, part.array.begin, part.array.size) &&
           (!part.view || (writes && part.isRestOwn) || part.view->contains(address, size));
  }

  llvm::SmallVector<const ParameterMemory *, 1> parts; ///< empty: all memory of the launch
};

} // namespace triton::simulator
