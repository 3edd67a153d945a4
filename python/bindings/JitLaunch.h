// A call of a JITFunction, `kernel[grid](...)`: binds its arguments, finds or compiles the variant for them, and runs
// it.
#pragma once

#include "JitFunction.h"

namespace triton::python {

/// A call of `function` over `grid`; compiles only when `isWarmup`. New reference to the CompiledKernel. Throws.
PyObject *launch(JitObject *function, PyObject *grid, PyObject *const *arguments, size_t positional, PyObject *names,
                 bool isWarmup);

/// Whether launches must call the launch hooks (knobs.runtime.launch_enter_hook and launch_exit_hook).
void setLaunchHooksActive(bool active);
/// A number that takes part in every key: settings that are read at launch, such as TRITON_DEBUG.
void setLaunchSettings(uint64_t settings);

} // namespace triton::python
