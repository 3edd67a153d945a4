// Compilations that a signal's handler, such as Control-C's, can interrupt.
#pragma once

#include "compiler/Compiler.h"

#include <Python.h>

#include <atomic>
#include <memory>

namespace triton::python {

/// Compiles with the GIL released. On the thread that runs the handlers of signals, the compilation has a thread of its
/// own while this one waits, so that a handler runs at once. Where it raises an exception, that is thrown here as
/// nanobind's python_error, and the compilation is abandoned: it ends in the background, with the pass that runs.
std::shared_ptr<const base::CompiledKernel> compileInterruptibly(const compiler::CompileRequest &request);

/// Waits until abandoned compilations have ended: their threads must not outlive the interpreter. With the GIL.
void waitForAbandonedCompilations();

/// The number of the thread that runs the handlers of signals; 0: it has not been here yet.
inline std::atomic<unsigned long> signalThread = 0;
/// isSignalThread while that is not known.
bool findSignalThread(const PyThreadState *state);

/// Whether this is the thread that runs the handlers of signals. `state` is the thread's own.
inline bool isSignalThread(const PyThreadState *state) {
  unsigned long number = signalThread.load(std::memory_order_relaxed);
  return number ? state->thread_id == number : findSignalThread(state);
}

} // namespace triton::python
