// A kernel of machine code for NVIDIA GPUs, ready to be launched through the driver.
#pragma once

#include "compiler/Compiler.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace triton::nvidia {

/// Needs no driver; the first launch on a device loads the kernel there.
llvm::Expected<std::shared_ptr<const compiler::DeviceKernel>> makeCudaKernel(const compiler::CompiledKernel &kernel);

} // namespace triton::nvidia
