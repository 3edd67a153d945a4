#include "ArrayReader.h"
#include "NumPyScalars.h"
#include "TorchTensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace triton::python {

using base::ElementType;
using base::ScalarType;

namespace {

enum class Protocol : uint8_t {
  None,
  Scalar,
  NumPy,
  Reinterpreted,
  Torch,
  DLPackExchange,
  DataPointer,
  ArrayInterface,
  CudaArrayInterface,
  DLPack,
  Buffer
};

/// How objects of one Python type are read.
struct TypeReader {
  Reference type; ///< keeps the address from being reused by another type
  Protocol protocol = Protocol::None;
  dlpack::ExchangeApi *exchange = nullptr;
  const TorchTensors *torch = nullptr;
};

/// The leading fields of NumPy's array and dtype objects, the same in NumPy 1 and 2.
struct NumPyDescriptor {
  PyObject_HEAD;
  PyTypeObject *scalarType;
  char kind, typeCharacter, byteOrder, formerFlags;
  int typeNumber;
};
struct NumPyArray {
  PyObject_HEAD;
  char *data;
  int rank;
  Py_ssize_t *shape, *strides;
  PyObject *base;
  NumPyDescriptor *descriptor;
  int flags;

  bool isReadOnly() const { return (flags & 0x400) == 0; } // NPY_ARRAY_WRITEABLE
  bool warnsOfWrites() const { return flags < 0; }         // NPY_ARRAY_WARN_ON_WRITE: the interface says read-only
};

bool fail(PyObject *kind, const char *format, const char *what) {
  PyErr_Format(kind, format, what);
  return false;
}

/// The type of the names "float32", "torch.float32", "triton.language.fp32", "bfloat16".
std::optional<ScalarType> scalarTypeOfName(std::string_view name) {
  if (size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name.remove_prefix(dot + 1);
  auto type = base::parseScalarType(name);
  if (type == ScalarType::Void)
    return std::nullopt;
  return type;
}

/// Maps a dtype object (torch.float32, a NumPy extension dtype, tl.float16) by its `name` or its text, once.
bool readDtype(PyObject *dtype, ElementType &element) {
  static auto &known = *new std::unordered_map<PyObject *, ElementType>();
  if (auto found = known.find(dtype); found != known.end()) {
    element = found->second;
    return true;
  }
  Reference name = Reference::steal(PyObject_GetAttrString(dtype, "name"));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    name = Reference::steal(PyObject_Str(dtype));
    if (!name)
      return false;
  }
  const char *text = textOf(name.get());
  if (!text)
    return false;
  std::optional<ScalarType> scalar = scalarTypeOfName(text);
  if (!scalar)
    return fail(PyExc_TypeError, "its dtype `%s` has no counterpart in kernels", text);
  element = {*scalar};
  Py_INCREF(dtype); // so that no other object gets the address of an entry
  known.emplace(dtype, element);
  return true;
}

std::optional<ScalarType> integerOfSize(size_t bytes, bool isSigned) {
  switch (bytes) {
  case 1:
    return isSigned ? ScalarType::Int8 : ScalarType::UInt8;
  case 2:
    return isSigned ? ScalarType::Int16 : ScalarType::UInt16;
  case 4:
    return isSigned ? ScalarType::Int32 : ScalarType::UInt32;
  case 8:
    return isSigned ? ScalarType::Int64 : ScalarType::UInt64;
  default:
    return std::nullopt;
  }
}

/// By the `typestr` letters of the array interface and by NumPy's kind: 'b', 'i', 'u', 'f'.
std::optional<ScalarType> scalarTypeOfKind(char kind, size_t bytes) {
  switch (kind) {
  case 'b':
    return bytes == 1 ? std::optional(ScalarType::Int1) : std::nullopt;
  case 'i':
  case 'u':
    return integerOfSize(bytes, kind == 'i');
  case 'f':
    return bytes == 2   ? std::optional(ScalarType::Float16)
           : bytes == 4 ? std::optional(ScalarType::Float32)
           : bytes == 8 ? std::optional(ScalarType::Float64)
                        : std::nullopt;
  default:
    return std::nullopt;
  }
}

//===-- NumPy -------------------------------------------------------------------------------------------------------===

/// NumPy's type numbers of the types with a counterpart; the C types' sizes are those of this platform.
std::optional<ScalarType> scalarTypeOfNumPy(int typeNumber) {
  static constexpr size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, sizeof(long), sizeof(long), 8, 8};
  switch (typeNumber) {
  case 0:
    return ScalarType::Int1;
  case 1:
  case 2:
  case 3:
  case 4:
  case 5:
  case 6:
  case 7:
  case 8:
  case 9:
  case 10:
    return integerOfSize(sizes[typeNumber], typeNumber % 2 == 1);
  case 11:
    return ScalarType::Float32;
  case 12:
    return ScalarType::Float64;
  case 23:
    return ScalarType::Float16;
  default:
    return std::nullopt;
  }
}

bool readNumPy(PyObject *object, ArrayView &view) {
  auto *array = reinterpret_cast<NumPyArray *>(object);
  NumPyDescriptor *descriptor = array->descriptor;
  view.data = array->data;
  view.isReadOnly = array->isReadOnly();
  if (descriptor->byteOrder == '>')
    return fail(PyExc_TypeError, "%s", "its bytes are in big-endian order; convert it to the machine's own first");
  if (auto scalar = scalarTypeOfNumPy(descriptor->typeNumber)) {
    view.element = {*scalar};
    return true;
  }
  return readDtype(reinterpret_cast<PyObject *>(descriptor), view.element);
}

/// Whether this NumPy's arrays have the fields of the struct above: compares one array's fields with its public
/// interface.
bool numPyLayoutHolds(PyObject *array) {
  Reference interface = Reference::steal(PyObject_GetAttrString(array, "__array_interface__"));
  PyObject *data = interface ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  const auto &fields = *reinterpret_cast<NumPyArray *>(array);
  bool isReadOnly = fields.isReadOnly() || fields.warnsOfWrites();
  bool holds = data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2 &&
               PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0)) == fields.data &&
               PyTuple_GET_ITEM(data, 1) == (isReadOnly ? Py_True : Py_False);
  Reference descriptor = Reference::steal(PyObject_GetAttrString(array, "dtype"));
  holds = holds && descriptor.get() == reinterpret_cast<PyObject *>(fields.descriptor);
  PyErr_Clear();
  return holds;
}

//===-- DLPack ------------------------------------------------------------------------------------------------------===

std::optional<ScalarType> scalarTypeOfDLPack(dlpack::DataType type) {
  if (type.lanes != 1)
    return std::nullopt;
  switch (type.code) {
  case dlpack::Int:
    return scalarTypeOfKind('i', type.bits / 8);
  case dlpack::UInt:
    return scalarTypeOfKind('u', type.bits / 8);
  case dlpack::Float:
    return scalarTypeOfKind('f', type.bits / 8);
  case dlpack::BFloat:
    return ScalarType::BFloat16;
  case dlpack::Bool:
    return ScalarType::Int1;
  case dlpack::Float8E4M3FN:
    return ScalarType::Float8E4NV;
  case dlpack::Float8E4M3FNUZ:
    return ScalarType::Float8E4B8;
  case dlpack::Float8E5M2:
    return ScalarType::Float8E5;
  case dlpack::Float8E5M2FNUZ:
    return ScalarType::Float8E5B16;
  default:
    return std::nullopt;
  }
}

bool readTensor(const dlpack::Tensor &tensor, ArrayView &view) {
  switch (tensor.device.type) {
  case dlpack::Cpu:
  case dlpack::CudaHost:
  case dlpack::RocmHost:
  case dlpack::CudaManaged:
    break;
  case dlpack::Cuda:
  case dlpack::Rocm:
    view.place = ArrayPlace::Gpu;
    break;
  default:
    view.place = ArrayPlace::Other;
  }
  std::optional<ScalarType> scalar = scalarTypeOfDLPack(tensor.type);
  if (!scalar)
    return fail(PyExc_TypeError, "%s", "its element type has no counterpart in kernels");
  view.lacksMemory =
      !tensor.data && std::find(tensor.shape, tensor.shape + tensor.rank, 0) == tensor.shape + tensor.rank;
  view.data = static_cast<const char *>(tensor.data) + tensor.byteOffset;
  view.element = {*scalar};
  return true;
}

/// Only a capsule of version 1 says whether the array is read-only, and older exporters cannot make one.
Reference exportDLPack(PyObject *object) {
  Reference method = Reference::steal(PyObject_GetAttrString(object, "__dlpack__"));
  Reference empty = Reference::steal(PyTuple_New(0));
  Reference version = Reference::steal(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  if (!method || !empty || !version)
    return Reference();
  Reference capsule = Reference::steal(PyObject_Call(method.get(), empty.get(), version.get()));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError))
    return capsule;
  PyErr_Clear();
  return Reference::steal(PyObject_CallNoArgs(method.get()));
}

bool readDLPackCapsule(PyObject *object, ArrayView &view) {
  Reference capsule = exportDLPack(object);
  if (!capsule)
    return false;
  const dlpack::Tensor *tensor = nullptr;
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
    auto *versioned = static_cast<dlpack::VersionedTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    if (versioned->flags & dlpack::isCopiedFlag)
      return fail(PyExc_ValueError, "%s", "`__dlpack__` gave a copy, so that what the kernel stores would be lost");
    view.isReadOnly = versioned->flags & dlpack::isReadOnlyFlag;
    tensor = &versioned->tensor;
  } else if (PyCapsule_IsValid(capsule.get(), "dltensor")) {
    tensor = static_cast<dlpack::Tensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  } else {
    return fail(PyExc_TypeError, "%s", "`__dlpack__` did not return a DLPack capsule");
  }
  view.owner = std::move(capsule);
  return readTensor(*tensor, view);
}

//===-- The other protocols -----------------------------------------------------------------------------------------===

bool readDataPointer(PyObject *object, ArrayView &view) {
  Reference dtype = Reference::steal(PyObject_GetAttrString(object, "dtype"));
  Reference address = Reference::steal(PyObject_CallMethod(object, "data_ptr", nullptr));
  if (!dtype || !address)
    return false;
  view.data = PyLong_AsVoidPtr(address.get());
  if (PyErr_Occurred())
    return false;
  if (!view.data) {
    Reference count = Reference::steal(PyObject_CallMethod(object, "numel", nullptr));
    view.lacksMemory = count && PyObject_IsTrue(count.get()) == 1;
    PyErr_Clear(); // not every class has this method
  }
  // An array that does not know its device is believed. PyTorch calls the GPUs of all vendors `cuda`.
  Reference device = Reference::steal(PyObject_GetAttrString(object, "device"));
  Reference kind = device ? Reference::steal(PyObject_GetAttrString(device.get(), "type")) : Reference();
  PyErr_Clear();
  if (!kind || !PyUnicode_Check(kind.get()))
    view.place = ArrayPlace::Unknown;
  else if (PyUnicode_CompareWithASCIIString(kind.get(), "cuda") == 0)
    view.place = ArrayPlace::Gpu;
  else if (PyUnicode_CompareWithASCIIString(kind.get(), "cpu") != 0)
    view.place = ArrayPlace::Other;
  return readDtype(dtype.get(), view.element);
}

/// `triton.reinterpret(base, dtype)`.
bool readReinterpreted(PyObject *object, ArrayView &view) {
  Reference base = Reference::steal(PyObject_GetAttrString(object, "base"));
  Reference dtype = Reference::steal(PyObject_GetAttrString(object, "dtype"));
  if (!base || !dtype)
    return false;
  switch (readArray(base.get(), view)) {
  case ArrayRead::Found:
    return readDtype(dtype.get(), view.element);
  case ArrayRead::Failed:
    return false;
  case ArrayRead::NotAnArray:
  case ArrayRead::Scalar:
    break;
  }
  return fail(PyExc_TypeError, "it reinterprets a `%s`, which is not an array", typeName(base.get()).c_str());
}

/// `__array_interface__` or `__cuda_array_interface__`.
bool readArrayInterface(PyObject *object, const char *attribute, ArrayView &view) {
  Reference interface = Reference::steal(PyObject_GetAttrString(object, attribute));
  if (!interface)
    return false;
  if (!PyDict_Check(interface.get()))
    return fail(PyExc_TypeError, "`%s` is not a dict", attribute);
  PyObject *data = PyDict_GetItemString(interface.get(), "data");
  PyObject *type = PyDict_GetItemString(interface.get(), "typestr");
  if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 || !type || !PyUnicode_Check(type))
    return fail(PyExc_TypeError, "`%s` lacks `data` or `typestr`", attribute);
  view.data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  const char *text = textOf(type);
  if (PyErr_Occurred() || !text)
    return false;
  std::optional<ScalarType> scalar;
  std::string_view format(text);
  size_t bytes = 0;
  if (format.size() >= 3 && format[0] != '>' &&
      std::from_chars(format.begin() + 2, format.end(), bytes).ptr == format.end())
    scalar = scalarTypeOfKind(format[1], bytes);
  if (!scalar)
    return fail(PyExc_TypeError, "its element type `%s` has no counterpart in kernels", text);
  int isReadOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
  if (isReadOnly < 0)
    return false;
  view.isReadOnly = isReadOnly;
  view.element = {*scalar};
  view.owner = std::move(interface);
  return true;
}

/// `format` is a struct-module character, perhaps after an order mark.
bool readBuffer(PyObject *object, ArrayView &view) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
    return false;
  std::string format = buffer.format ? buffer.format : "B";
  view.data = buffer.buf;
  view.isReadOnly = buffer.readonly;
  size_t size = size_t(buffer.itemsize);
  PyBuffer_Release(&buffer); // the exporter is an argument of the call and outlives it
  char letter = format.back();
  bool isNative = format.size() == 1 || format[0] == '@' || format[0] == '=' || format[0] == '<';
  std::optional<ScalarType> scalar;
  if (letter == '?')
    scalar = ScalarType::Int1;
  else if (std::strchr("bhilqn", letter))
    scalar = scalarTypeOfKind('i', size);
  else if (std::strchr("cBHILQN", letter))
    scalar = scalarTypeOfKind('u', size);
  else if (std::strchr("efd", letter))
    scalar = scalarTypeOfKind('f', size);
  if (!scalar || !isNative || format.size() > 2)
    return fail(PyExc_TypeError, "its buffer format `%s` has no counterpart in kernels", format.c_str());
  view.element = {*scalar};
  return true;
}

//===-- Choosing ----------------------------------------------------------------------------------------------------===

bool hasAttribute(PyObject *object, const char *name) { return PyObject_HasAttrString(object, name) != 0; }

bool isNumPyArrayType(PyTypeObject *type) {
  for (; type; type = baseOf(type))
    if (typeName(type) == "numpy.ndarray")
      return true;
  return false;
}

TypeReader chooseReader(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  TypeReader reader;
  reader.type = Reference::borrow(reinterpret_cast<PyObject *>(type));
  if (isNumPyArrayType(type) && numPyLayoutHolds(object))
    reader.protocol = Protocol::NumPy;
  else if (isNumPyScalar(object))
    reader.protocol = Protocol::Scalar;
  else if (hasAttribute(reader.type.get(), "_reinterprets"))
    reader.protocol = Protocol::Reinterpreted;
  else if ((reader.exchange = findExchangeApi(reader.type.get())))
    reader.protocol =
        (reader.torch = TorchTensors::find(object, *reader.exchange)) ? Protocol::Torch : Protocol::DLPackExchange;
  else if (hasAttribute(object, "data_ptr") && hasAttribute(object, "dtype"))
    reader.protocol = Protocol::DataPointer;
  else if (hasAttribute(object, "__array_interface__") && !hasAttribute(object, "__index__"))
    reader.protocol = Protocol::ArrayInterface;
  else if (hasAttribute(object, "__cuda_array_interface__"))
    reader.protocol = Protocol::CudaArrayInterface;
  else if (hasAttribute(object, "__dlpack__"))
    reader.protocol = Protocol::DLPack;
  else if (PyObject_CheckBuffer(object) && !PyBytes_Check(object) && !hasAttribute(object, "__index__"))
    reader.protocol = Protocol::Buffer;
  return reader;
}

const TypeReader &readerFor(PyObject *object) {
  static auto &readers = *new std::unordered_map<PyTypeObject *, TypeReader>();
  // Arguments of the same type often follow each other.
  thread_local PyTypeObject *lastType = nullptr;
  thread_local const TypeReader *lastReader = nullptr;
  PyTypeObject *type = Py_TYPE(object);
  if (type == lastType)
    return *lastReader;
  auto found = readers.find(type);
  if (found == readers.end())
    found = readers.emplace(type, chooseReader(object)).first;
  lastType = type;
  lastReader = &found->second;
  return found->second;
}

} // namespace

dlpack::ExchangeApi *findExchangeApi(PyObject *type) {
  Reference capsule = Reference::steal(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  PyErr_Clear();
  if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api"))
    return nullptr;
  auto *api = static_cast<dlpack::ExchangeApi *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (api && api->version.major != 1)
    api = api->previous;
  return api && api->view ? api : nullptr;
}

bool readStorage(PyObject *object, uintptr_t &begin, size_t &bytes) {
  const TypeReader &reader = readerFor(object);
  return reader.protocol == Protocol::Torch && reader.torch->readStorage(object, begin, bytes);
}

ArrayRead readArray(PyObject *object, ArrayView &view) {
  const TypeReader &reader = readerFor(object);
  if (reader.protocol == Protocol::NumPy) [[likely]]
    return readNumPy(object, view) ? ArrayRead::Found : ArrayRead::Failed;
  bool found = false;
  switch (reader.protocol) {
  case Protocol::None:
    return ArrayRead::NotAnArray;
  case Protocol::Scalar:
    return ArrayRead::Scalar;
  case Protocol::NumPy:
    break; // above
  case Protocol::Torch:
    if ((found = reader.torch->read(object, view)))
      break;
    [[fallthrough]];
  case Protocol::DLPackExchange: {
    dlpack::Tensor tensor;
    if (reader.exchange->view(object, &tensor) == 0) {
      found = readTensor(tensor, view);
      break;
    }
    PyErr_Clear(); // DLPack does not have all element types
    found = hasAttribute(object, "data_ptr") ? readDataPointer(object, view)
                                             : fail(PyExc_TypeError, "%s", "it cannot be exported with DLPack");
    break;
  }
  case Protocol::Reinterpreted:
    found = readReinterpreted(object, view);
    break;
  case Protocol::DataPointer:
    found = readDataPointer(object, view);
    break;
  case Protocol::ArrayInterface:
    found = readArrayInterface(object, "__array_interface__", view);
    break;
  case Protocol::CudaArrayInterface:
    view.place = ArrayPlace::Gpu;
    found = readArrayInterface(object, "__cuda_array_interface__", view);
    break;
  case Protocol::DLPack:
    found = readDLPackCapsule(object, view);
    break;
  case Protocol::Buffer:
    found = readBuffer(object, view);
    break;
  }
  return found ? ArrayRead::Found : ArrayRead::Failed;
}

} // namespace triton::python
