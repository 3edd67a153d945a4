// Compilations that a signal's handler, such as Control-C's, can interrupt.
#pragma once

#include "compiler/Compiler.h"

#include <Python.h>

#include <atomic>
#include <memory>

namespace triton::python {

/// Compiles with the GIL released. If the caller is the thread that runs the handlers of signals, another thread
/// compiles while the caller waits, so that a handler runs at once. If a handler raises an exception, this throws it as
/// nanobind's python_error and abandons the compilation, which ends in the background after the pass that runs.
std::shared_ptr<const base::CompiledKernel> compileInterruptibly(const compiler::CompileRequest &request);

/// Waits until abandoned compilations have ended: their threads must not outlive the interpreter. With the GIL.
void waitForAbandonedCompilations();

/// The number of the thread that runs the handlers of signals; 0: that thread has not compiled yet.
inline std::atomic<unsigned long> signalThread = 0;
/// isSignalThread while that number is not known.
bool findSignalThread();

/// Whether this is the thread that runs the handlers of signals.
inline bool isSignalThread() {
  unsigned long number = signalThread.load(std::memory_order_relaxed);
  return number ? PyThread_get_thread_ident() == number : findSignalThread();
}

} // namespace triton::python
