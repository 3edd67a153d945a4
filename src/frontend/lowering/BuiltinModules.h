// The compiler's own modules, as kernels see them.
#pragma once

#include "frontend/Object.h"

namespace triton::frontend {

/// The module of this name: "triton", "triton.language", "triton.language.math", "triton.language.extra.libdevice",
/// "math", ... Null when there is none. The loader of files calls this function, and bindings replace the Python
/// modules of these names by these modules.
ObjectRef builtinModule(std::string_view name);

} // namespace triton::frontend
