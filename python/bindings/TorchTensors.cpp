#include "TorchTensors.h"
#include "MadeOnce.h"

#include <algorithm>
#include <dlfcn.h>
#include <type_traits>

namespace triton::python {

using base::ScalarType;

namespace {

/// The leading fields of PyTorch's tensor objects. The `at::Tensor` in it, whose address is the handle that the C
/// functions take, is one pointer to the implementation.
struct TensorObject {
  PyObject_HEAD;
  void *implementation;
};

const void *handleOf(PyObject *tensor) { return &reinterpret_cast<TensorObject *>(tensor)->implementation; }

struct NamedScalar {
  const char *function;
  ScalarType type;
};
constexpr NamedScalar namedScalars[] = {
    {"aoti_torch_dtype_bool", ScalarType::Int1},
    {"aoti_torch_dtype_int8", ScalarType::Int8},
    {"aoti_torch_dtype_int16", ScalarType::Int16},
    {"aoti_torch_dtype_int32", ScalarType::Int32},
    {"aoti_torch_dtype_int64", ScalarType::Int64},
    {"aoti_torch_dtype_uint8", ScalarType::UInt8},
    {"aoti_torch_dtype_uint16", ScalarType::UInt16},
    {"aoti_torch_dtype_uint32", ScalarType::UInt32},
    {"aoti_torch_dtype_uint64", ScalarType::UInt64},
    {"aoti_torch_dtype_float16", ScalarType::Float16},
    {"aoti_torch_dtype_bfloat16", ScalarType::BFloat16},
    {"aoti_torch_dtype_float32", ScalarType::Float32},
    {"aoti_torch_dtype_float64", ScalarType::Float64},
    {"aoti_torch_dtype_float8_e4m3fn", ScalarType::Float8E4NV},
    {"aoti_torch_dtype_float8_e4m3fnuz", ScalarType::Float8E4B8},
    {"aoti_torch_dtype_float8_e5m2", ScalarType::Float8E5},
    {"aoti_torch_dtype_float8_e5m2fnuz", ScalarType::Float8E5B16},
};

/// The library with the functions of `exchange`, in whose dependencies the C functions are.
void *libraryOf(const dlpack::ExchangeApi &exchange) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(exchange.view), &info) || !info.dli_fname)
    return nullptr;
  return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

bool isClass(PyObject *type, const char *moduleName, const char *name) {
  Reference module = Reference::borrow(PyImport_GetModuleDict());
  PyObject *found = PyDict_GetItemString(module.get(), moduleName);
  Reference named = Reference::steal(found ? PyObject_GetAttrString(found, name) : nullptr);
  PyErr_Clear();
  return named.get() == type;
}

} // namespace

std::unique_ptr<const TorchTensors> TorchTensors::load(const dlpack::ExchangeApi &exchange) {
  void *library = libraryOf(exchange);
  if (!library)
    return nullptr;
  auto functions = std::make_unique<TorchTensors>();
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  int32_t (*number)() = nullptr;
  auto findNumber = [&](const char *name, int32_t &found) {
    if (find(name, number))
      found = number();
  };
  if (!find("aoti_torch_get_data_ptr", functions->dataPointer) || !find("aoti_torch_get_dtype", functions->dtype) ||
      !find("aoti_torch_get_device_type", functions->deviceType))
    return nullptr;
  find("aoti_torch_get_storage_size", functions->storageSize);
  find("aoti_torch_get_storage_offset", functions->storageOffset);
  findNumber("aoti_torch_device_type_cpu", functions->cpu);
  findNumber("aoti_torch_device_type_cuda", functions->gpu); // of all vendors
  functions->scalars.fill(ScalarType::Void);
  for (const NamedScalar &named : namedScalars) {
    int32_t found = -1;
    findNumber(named.function, found);
    if (found >= 0 && size_t(found) < functions->scalars.size())
      functions->scalars[size_t(found)] = named.type;
  }
  return functions;
}

bool TorchTensors::hasFieldsOf(PyObject *tensor) {
  Reference address = Reference::steal(PyObject_GetAttrString(tensor, "_cdata"));
  bool holds = address && PyLong_Check(address.get()) &&
               PyLong_AsVoidPtr(address.get()) == reinterpret_cast<TensorObject *>(tensor)->implementation;
  PyErr_Clear();
  return holds;
}

const TorchTensors *TorchTensors::find(PyObject *tensor, const dlpack::ExchangeApi &exchange) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(tensor));
  if (!isClass(type, "torch", "Tensor") && !isClass(type, "torch.nn.parameter", "Parameter"))
    return nullptr;
  const auto &functions = madeOnce([&] { return load(exchange); });
  return functions && hasFieldsOf(tensor) ? functions.get() : nullptr;
}

bool TorchTensors::read(PyObject *tensor, ArrayView &view) const {
  const void *handle = handleOf(tensor);
  int32_t device = 0, number = 0;
  if (deviceType(handle, &device) != 0 || dtype(handle, &number) != 0)
    return false;
  ScalarType scalar = size_t(number) < scalars.size() ? scalars[size_t(number)] : ScalarType::Void;
  void *data = nullptr;
  if ((device != cpu && device != gpu) || scalar == ScalarType::Void || dataPointer(handle, &data) != 0)
    return false;
  if (!data) [[unlikely]]
    return false; // DLPack's functions say, too, whether it has elements
  view.data = data;
  view.place = device == cpu ? ArrayPlace::Host : ArrayPlace::Gpu;
  view.element = {scalar};
  return true;
}

bool TorchTensors::readStorage(PyObject *tensor, uintptr_t &begin, size_t &bytes) const {
  ArrayView view;
  const void *handle = handleOf(tensor);
  int64_t size = 0, offset = 0;
  if (!storageSize || !storageOffset || !read(tensor, view) || storageSize(handle, &size) != 0 ||
      storageOffset(handle, &offset) != 0)
    return false;
  unsigned elementBytes = std::max(1u, base::bitWidth(view.element.scalar) / 8);
  begin = reinterpret_cast<uintptr_t>(view.data) - uintptr_t(offset) * elementBytes;
  bytes = size_t(size);
  return true;
}

} // namespace triton::python
