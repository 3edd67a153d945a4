// Threads that compile in the background.
#pragma once

#include "llvm/Support/thread.h"

#include <functional>

namespace triton::compiler {

/// Starts a thread with a stack that is large enough for the frontend, which is recursive, and on which no handler of a
/// signal runs, because signals belong to the program's own threads.
llvm::thread startCompilerThread(std::function<void()> body);

} // namespace triton::compiler
