// The memory that an array is a view of.
#pragma once

#include "LaunchDevice.h"
#include "PythonReference.h"

#include "base/CheckedViews.h"
#include "base/LoadedKernel.h"

namespace triton::python {

/// Sets begin and bytes of `extent` to the whole storage behind `array`, which a launch on `device` gets; both are 0
/// when it is not known. PyTorch's tensors are asked in C, others by triton._memory. False with an exception.
bool findMemory(PyObject *array, LaunchDevice device, base::ArrayExtent &extent);

/// Whether arrays that say to be on a GPU lie in the memory of this machine, as those of an audit do.
void setGpuIsPretended(bool isPretended);
bool gpuIsPretended();

/// Whether simulated kernels may access only the elements of a view, not the whole memory behind it.
void setViewsAreChecked(bool areChecked);
bool viewsAreChecked();
/// Appends the elements of the array that an argument is, unless they are its whole memory. False with an exception.
bool appendElements(PyObject *array, unsigned argument, std::vector<base::ArrayElements> &views);

} // namespace triton::python
