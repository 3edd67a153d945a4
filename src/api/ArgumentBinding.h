// Binds the argument list of a launch: one value for each parameter of the kernel.
#pragma once

#include "api/KernelState.h"
#include "triton/triton.h"

#include <span>
#include <string_view>
#include <vector>

namespace triton::api {

/// What one parameter got. Points into the caller's arguments and the kernel's parameters.
struct BoundArgument {
  runtime::ArgumentView view;
  std::vector<runtime::ArgumentView> parts;          ///< behind a Descriptor view: those of its parts
  const Constant *constant = nullptr;                ///< of a Constant view that the caller gave
  const frontend::ObjectRef *defaultValue = nullptr; ///< of a view made from the parameter's default
  std::string_view typeOnly;                         ///< not empty: only a type was given
  std::size_t memoryBytes = 0;                       ///< of the memory behind the pointer or base; 0: not known
};

/// Binds named arguments by name, the others in order, and fills in defaults. `out` gets one element for
/// each parameter. Throws a Launch error that names the argument.
void bindArguments(const Kernel::State &kernel, std::span<const Argument> arguments, std::vector<BoundArgument> &out);

/// The compile-time object of a view that is passed as a constant.
frontend::ObjectRef constantObject(const BoundArgument &argument, const std::string &parameter);

} // namespace triton::api
