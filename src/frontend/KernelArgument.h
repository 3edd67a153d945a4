// What a kernel is lowered for: the types and the compile-time values of its parameters.
#pragma once

#include "base/DescriptorType.h"
#include "frontend/Object.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"

namespace triton::frontend {

/// What the compiler knows of one parameter. It is exactly one of these: a runtime value of `type`, a `constant`, a
/// tuple whose parts are in `elements`, a `descriptor`, or nothing (`isUnknown`, see lowering/Observer.h).
struct KernelArgument {
  std::string name;
  ElementType type;
  ObjectRef constant; ///< compile-time value; not passed at launch
  bool isTuple = false;
  bool isUnknown = false;
  /// Describes an array whose base, extents and strides are passed as `elements`. The last stride is 1 and is not
  /// passed.
  std::optional<DescriptorType> descriptor;
  std::vector<KernelArgument> elements; ///< when it is a tuple or a descriptor
  std::vector<std::string> fieldNames;  ///< of a namedtuple
  int64_t divisibility = 1;             ///< `tt.divisibility`: the value or address is a multiple of this

  /// `tt.pointer_range = 32`: the memory around the address has less than 2 GiB. `tt.nonnegative`: the integer is not
  /// negative.
  bool isInRange = false;

  /// `tt.storage`: pointers with different numbers point into memory that does not overlap; -1: into any memory.
  int storage = -1;

  bool hasElements() const { return isTuple || descriptor; }
};

/// The argument for a descriptor of this type. Its elements have the divisibility that every described array has.
KernelArgument describeDescriptor(const std::string &name, const DescriptorType &type);

/// The argument that an item of a signature gives by its type: "*fp32:16", "i32:1", "tensordesc<fp16[64, 32]>".
/// `storage` is the number of memory that no other argument lies in. The error says what is wrong with the item.
llvm::Expected<KernelArgument> readArgumentType(const std::string &name, llvm::StringRef item, int storage);

/// The constant that an item of a signature gives: 64, 0.5, True, None, "text". Null for other items.
ObjectRef readConstant(llvm::StringRef item);

} // namespace triton::frontend
