#include "frontend/KernelArgument.h"

namespace triton::frontend {

/// A launch checks that the address and the strides are multiples of this many bytes, as tl.make_tensor_descriptor
/// requires.
static constexpr int64_t alignment = 16;

KernelArgument describeDescriptor(const std::string &name, const DescriptorType &type) {
  KernelArgument argument;
  argument.name = name;
  argument.descriptor = type;
  auto add = [&](const std::string &part, ElementType element, int64_t divisibility) {
    KernelArgument &added = argument.elements.emplace_back();
    added.name = name + "." + part;
    added.type = element;
    added.divisibility = divisibility;
  };
  add("base", {type.element, 1, false}, alignment);
  for (unsigned i = 0; i < type.rank; ++i)
    add("shape." + std::to_string(i), {ScalarType::Int32}, 1);
  for (unsigned i = 0; i + 1 < type.rank; ++i)
    add("strides." + std::to_string(i), {ScalarType::Int64}, alignment / type.elementBytes());
  return argument;
}

} // namespace triton::frontend
