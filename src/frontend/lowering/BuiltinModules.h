// The compiler's own modules, as kernels see them.
#pragma once

#include "frontend/Object.h"

#include <functional>
#include <string>

namespace triton::frontend {

/// The module of this name: "triton", "triton.language", "triton.language.math", "triton.language.extra.libdevice",
/// "math", ... Null when there is none. The loader of files calls this function, and bindings replace the Python
/// modules of these names by these modules.
ObjectRef builtinModule(std::string_view name);

/// Finds the modules of Gluon for builtinModule where nobody imports them: their layouts are objects of Python. Once in
/// a process, before any file is loaded.
void setGluonModules(std::function<ObjectRef(std::string_view name)> find);

/// The object `name` of the compiler's own module `module` or of the nearest enclosing module, because the Python
/// package has more modules than kernels see. Null when there is no such object.
ObjectRef languageMember(std::string module, std::string_view name);

} // namespace triton::frontend
