// Values that a Python program has, as kernels see them: numbers and texts are copied; layouts, types, classes and
// functions stay there, and each question about one is a message. python/triton/tools/kernel_objects.py answers.
#pragma once

#include "PythonConnection.h"

#include "frontend/Object.h"

#include <memory>

namespace tritonc {

/// The value of an answer; null for what is not a value, such as the place of a kernel in a file.
triton::frontend::ObjectRef readObject(const std::shared_ptr<PythonConnection> &python,
                                       const llvm::json::Object &answer);

/// Lets kernels of files use Gluon, whose modules this Python imports. Nothing is started before a file needs it.
void useGluonOf(std::shared_ptr<PythonConnection> python);

} // namespace tritonc
