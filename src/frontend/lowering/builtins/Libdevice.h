// The functions of triton.language.extra.libdevice (Libdevice.def).
#pragma once

#include "frontend/lowering/builtins/Builtin.h"

namespace triton::frontend {

llvm::ArrayRef<Builtin> libdeviceFunctions();
/// Null when there is none of that name.
const Builtin *findLibdeviceFunction(llvm::StringRef name);
/// What the stubs say about a function: the dtypes it takes.
std::string libdeviceDocumentation(const Builtin &builtin);

} // namespace triton::frontend
