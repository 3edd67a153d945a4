// Reads `triton.tools.tensor_descriptor.TensorDescriptor` objects, which a caller may change between launches.
#pragma once

#include "ArrayReader.h"
#include "PythonReference.h"

#include "runtime/Specialization.h"

namespace triton::python {

struct DescriptorView {
  runtime::HostDescriptor descriptor; ///< its address is that of `array`
  Reference base;                     ///< the array's object
  ArrayView array;
};

bool isTensorDescriptor(PyObject *object);

/// False with a Python exception: AssertionError, or ValueError for the block.
bool readDescriptor(PyObject *object, DescriptorView &view);

} // namespace triton::python
