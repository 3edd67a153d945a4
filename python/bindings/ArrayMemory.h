// The memory that an array is a view of.
#pragma once

#include "LaunchDevice.h"
#include "PythonReference.h"

#include "base/LoadedKernel.h"

namespace triton::python {

/// Sets begin and bytes of `extent` to the whole storage behind `array`, which a launch on `device` gets; both are 0
/// when it is not known. PyTorch's tensors are asked in C, others by triton._memory. False with an exception.
bool findMemory(PyObject *array, LaunchDevice device, base::ArrayExtent &extent);

} // namespace triton::python
