// Reads PyTorch's tensors through the C functions that PyTorch keeps stable for compiled models. They take a third of
// the time of its DLPack functions, which convert the object with pybind11 and take the GIL again.
#pragma once

#include "ArrayReader.h"
#include "DLPack.h"

#include <array>
#include <memory>

namespace triton::python {

class TorchTensors {
public:
  /// A reader of the objects of `tensor`'s type; null where the type is not PyTorch's own class of tensors or of
  /// parameters, or where this PyTorch lacks the functions or has other fields. `exchange` is the type's table.
  static const TorchTensors *find(PyObject *tensor, const dlpack::ExchangeApi &exchange);

  /// False, without an exception, for a tensor that these functions cannot read.
  bool read(PyObject *tensor, ArrayView &view) const;
  /// The storage that the tensor is a view of. False, without an exception, when these functions do not know.
  bool readStorage(PyObject *tensor, uintptr_t &begin, size_t &bytes) const;

private:
  using Question = int (*)(const void *tensor, int32_t *answer);

  static std::unique_ptr<const TorchTensors> load(const dlpack::ExchangeApi &exchange);
  static bool hasFieldsOf(PyObject *tensor);

  int (*dataPointer)(const void *tensor, void **data) = nullptr;
  Question dtype = nullptr, deviceType = nullptr;
  /// Bytes, and elements before the tensor's first one. Null where this PyTorch lacks the functions.
  int (*storageSize)(const void *tensor, int64_t *bytes) = nullptr;
  int (*storageOffset)(const void *tensor, int64_t *elements) = nullptr;
  int32_t cpu = -1, gpu = -1;
  /// By PyTorch's number of a dtype.
  std::array<base::ScalarType, 64> scalars{};
};

} // namespace triton::python
