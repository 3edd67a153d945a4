// Finds the address and the element type of an array, whatever its class: NumPy arrays, torch and other DLPack tensors,
// the array interfaces, objects with `data_ptr()`, buffers. No data is copied, and no Python code runs for the common
// classes.
#pragma once

#include "DLPack.h"
#include "PythonReference.h"

#include "base/ElementType.h"

#include <string>
#include <vector>

namespace triton::python {

/// The owner of the memory in which an array lies.
enum class ArrayPlace : uint8_t { Host, Gpu, Other, Unknown };

struct ArrayView {
  const void *data = nullptr;
  ArrayPlace place = ArrayPlace::Host;
  bool isReadOnly = false;  ///< the array says so
  bool lacksMemory = false; ///< it has elements, but only their number and type are known, as those of a fake tensor
  base::ElementType element;
  Reference owner; ///< keeps `data` valid when the array itself does not
};

enum class ArrayRead {
  Found,
  NotAnArray,
  Scalar, ///< one of NumPy's numbers
  Failed  ///< it is an array that a kernel cannot take; a Python exception is set, to be prefixed with the argument
};

/// The functions with which a framework's type of arrays answers fast; null where it has none.
dlpack::ExchangeApi *findExchangeApi(PyObject *type);

/// Reads `object`. How objects of its type are read is decided once.
ArrayRead readArray(PyObject *object, ArrayView &view);

/// The address and the number of bytes of the storage behind a tensor of PyTorch, without running Python. False,
/// without an exception, for other objects.
bool readStorage(PyObject *object, uintptr_t &begin, size_t &bytes);

} // namespace triton::python
