// What the body of a kernel shows about its parameters, whose types nobody wrote down.
#pragma once

#include "language_server/Document.h"

#include <map>
#include <set>

namespace triton::language_server {

/// How a function uses one parameter, the functions that it calls included.
struct ParameterUse {
  bool isPointer = false;    ///< loaded from, stored to, or the base of a block pointer or descriptor
  bool isIndex = false;      ///< a pointer to numbers that become part of an address or bound a loop
  bool isDescriptor = false; ///< has methods of descriptors called
  bool isCalled = false;     ///< called as a function
  bool isDtype = false;      ///< stands where a dtype is expected
  bool isTested = false;     ///< decides a branch by its truth
  bool isComparedToNone = false;
  bool isRepetition = false;     ///< bounds a loop that is repeated at compile time
  bool isBound = false;          ///< bounds a loop
  bool isComposite = false;      ///< a tuple, an aggregate or the like: has elements or fields read
  std::set<std::string> strings; ///< that it is compared with
  std::vector<int64_t> masks;    ///< whose bits of it are asked for: 1 and 2 of `if x & 1` and `if x & 2`
  std::vector<int64_t> equals;   ///< integers of `if x == 3`
  /// Defaults of the builtins' parameters for which it is passed.
  std::vector<frontend::ObjectRef> defaults;

  void add(const ParameterUse &other);
};

/// The use of each parameter of the function, in order.
std::vector<ParameterUse> parameterUses(const frontend::Function &function);

} // namespace triton::language_server
