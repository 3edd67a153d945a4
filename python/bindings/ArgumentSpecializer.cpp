#include "ArgumentSpecializer.h"
#include "ArrayMemory.h"
#include "ArrayReader.h"
#include "DescriptorReader.h"
#include "MadeOnce.h"
#include "NumPyScalars.h"
#include "Objects.h"

namespace triton::python {

using runtime::ArgumentView;
using runtime::ParameterRule;

namespace {

/// A number for `object` that equal objects of the same type share for the life of the process.
bool identityOf(PyObject *object, uint64_t &identity) {
  PyObject *canonical = madeOnce([] { return PyDict_New(); }); // type → {object: object}
  PyObject *ofType = PyDict_GetItemWithError(canonical, reinterpret_cast<PyObject *>(Py_TYPE(object)));
  if (!ofType) {
    if (PyErr_Occurred())
      return false;
    Reference created = Reference::steal(PyDict_New());
    ofType = created.get();
    if (!ofType || PyDict_SetItem(canonical, reinterpret_cast<PyObject *>(Py_TYPE(object)), ofType) != 0)
      return false;
  }
  PyObject *first = PyDict_GetItemWithError(ofType, object);
  if (!first && (PyErr_Occurred() || PyDict_SetItem(ofType, first = object, object) != 0))
    return false;
  identity = uint64_t(reinterpret_cast<uintptr_t>(first));
  return true;
}

/// Numbers, booleans and None; false when `object` is none of these. Sets an exception for integers beyond 64 bits
/// unless `anyWidth`.
bool viewOfNumber(PyObject *object, bool anyWidth, ArgumentView &view) {
  if (PyLong_Check(object)) {
    if (PyBool_Check(object)) {
      view = ArgumentView::boolean(object == Py_True);
      return true;
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) {
      view = ArgumentView::integer(value);
      return true;
    }
    unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (overflow > 0 && !PyErr_Occurred()) {
      view = ArgumentView::unsignedInteger(large);
      return true;
    }
    PyErr_Clear();
    if (!anyWidth)
      PyErr_SetString(PyExc_OverflowError, "the integer does not fit in 64 bits");
    return false;
  }
  if (PyFloat_Check(object)) {
    view = ArgumentView::floating(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (object == Py_None) {
    view = ArgumentView::none();
    return true;
  }
  return false;
}

/// Sets an exception that puts the argument's name and type before what went wrong, and keeps the class of the
/// exception.
bool failArgument(const ParameterRule &rule, PyObject *object) {
  Reference kind, value, trace;
  PyObject *rawKind, *rawValue, *rawTrace;
  PyErr_Fetch(&rawKind, &rawValue, &rawTrace);
  kind = Reference::steal(rawKind);
  value = Reference::steal(rawValue);
  trace = Reference::steal(rawTrace);
  PyErr_Format(kind.get(), "argument `%s` (a `%s`): %S", rule.name.c_str(), typeName(object).c_str(), value.get());
  return false;
}

/// Notes that an integer is not negative.
void noteSign(ArgumentView &view, const LaunchFrame &frame) {
  if (frame.ranges.integers)
    view.isInRange |= view.kind == ArgumentView::Kind::Unsigned ||
                      (view.kind == ArgumentView::Kind::Integer && std::bit_cast<int64_t>(view.bits) >= 0);
}

bool append(const ParameterRule &rule, const ArgumentView &view, PyObject *object, LaunchFrame &frame) {
  runtime::SpecializationError error = runtime::append(rule, view, frame.specialized);
  if (error != runtime::SpecializationError::None) [[unlikely]] {
    PyErr_SetString(PyExc_TypeError, runtime::describe(error, rule, view).c_str());
    return false;
  }
  frame.views.push_back(view);
  frame.objects.push_back(object);
  return true;
}

/// The key words of a compile-time value of any type: distinguishes equal values of different types inside tuples.
bool appendConstantWords(PyObject *object, LaunchFrame &frame) {
  auto &key = frame.specialized.key;
  ArgumentView view;
  if (viewOfNumber(object, /*anyWidth=*/true, view)) {
    key.push_back(uint64_t(view.kind));
    key.push_back(view.bits);
    return true;
  }
  if (PyTuple_Check(object) || PyList_Check(object)) {
    key.push_back(uint64_t(reinterpret_cast<uintptr_t>(Py_TYPE(object))));
    key.push_back(uint64_t(PySequence_Fast_GET_SIZE(object)));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
      if (Reference item = elementOf(object, i); !item || !appendConstantWords(item.get(), frame))
        return false;
    return true;
  }
  if (PyDict_Check(object)) { // the option `extern_libs`
    key.push_back(uint64_t(reinterpret_cast<uintptr_t>(Py_TYPE(object))));
    Reference items = Reference::steal(PyDict_Items(object));
    return items && appendConstantWords(items.get(), frame);
  }
  if (isConstexpr(object)) {
    Reference value = constexprValue(object);
    return value && appendConstantWords(value.get(), frame);
  }
  if (isNumPyScalar(object)) {
    Reference number = plainNumber(object);
    return number && appendConstantWords(number.get(), frame);
  }
  if (isAggregate(object)) {
    key.push_back(uint64_t(reinterpret_cast<uintptr_t>(Py_TYPE(object))));
    Reference fields = Reference::steal(PyObject_CallMethod(object, "_field_values", nullptr));
    return fields && appendConstantWords(fields.get(), frame);
  }
  uint64_t identity;
  if (!identityOf(object, identity)) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
      return false;
    PyErr_Clear();
    PyErr_SetString(PyExc_TypeError, "a compile-time value must be hashable");
    return false;
  }
  key.push_back(uint64_t(ArgumentView::Kind::Constant));
  key.push_back(identity);
  return true;
}

/// A value for a `tl.constexpr` parameter, or a value that the caller wraps in `tl.constexpr(...)`.
bool specializeConstant(const ParameterRule &rule, PyObject *object, LaunchFrame &frame) {
  ArgumentView view;
  if (viewOfNumber(object, /*anyWidth=*/true, view)) {
    view.isConstant = true;
    return append(rule, view, object, frame);
  }
  if (!append(rule, ArgumentView::constant(0), object, frame))
    return false;
  return appendConstantWords(object, frame) || failArgument(rule, object);
}

bool specializeTuple(const ParameterRule &rule, PyObject *object, LaunchFrame &frame) {
  Py_ssize_t size = PyTuple_GET_SIZE(object);
  if (!append(rule, ArgumentView::tuple(size_t(size)), object, frame))
    return false;
  frame.specialized.key.push_back(uint64_t(reinterpret_cast<uintptr_t>(Py_TYPE(object))));
  for (Py_ssize_t i = 0; i < size; ++i) {
    ParameterRule element = runtime::elementRule(rule, rule.name + "[" + std::to_string(i) + "]");
    if (!specialize(element, PyTuple_GET_ITEM(object, i), frame))
      return false;
  }
  return true;
}

/// Whether the device can access the array; replaces a host address that the GPU knows by the GPU's address.
bool requireAccess(ArrayView &array, LaunchDevice device) {
  if (device == LaunchDevice::Foreign) [[unlikely]]
    return true;
  if (device != LaunchDevice::Gpu) {
    if (array.place == ArrayPlace::Host || array.place == ArrayPlace::Unknown) [[likely]]
      return true;
    if (array.place == ArrayPlace::Gpu && gpuIsPretended())
      return true;
    PyErr_SetString(PyExc_ValueError, "it lives on another device and cannot be accessed from Triton on the CPU");
    return false;
  }
  if (array.place == ArrayPlace::Gpu || !array.data) [[likely]]
    return true;
  if (const base::DeviceDriver *driver = activeDriver();
      driver && array.place != ArrayPlace::Other && driver->isAvailable())
    if (uint64_t address = driver->deviceAddress(array.data)) {
      array.data = reinterpret_cast<const void *>(address); // pinned or managed memory
      return true;
    }
  PyErr_SetString(PyExc_ValueError, "it lives in the host's memory and cannot be accessed from Triton on a GPU; "
                                    "move it there first");
  return false;
}

/// Records the memory that the array is a view of, and whether it is known to have less than 2 GiB.
bool noteExtent(PyObject *object, bool &isSmall, LaunchFrame &frame) {
  base::ArrayExtent extent{unsigned(frame.specialized.slots.size()), 0, 0};
  if (!findMemory(object, frame.device, extent))
    return false;
  isSmall = frame.ranges.arrays && extent.begin != 0 && extent.bytes <= size_t(INT32_MAX);
  if (frame.device == LaunchDevice::Simulated)
    frame.arrays.push_back(extent);
  return true;
}

/// Records what the launch must know of the array that the next slot points to. `object` is the array.
bool noteArray(ArrayView &array, PyObject *object, bool &isSmall, LaunchFrame &frame) {
  if (!requireAccess(array, frame.device)) [[unlikely]]
    return false;
  bool needsExtent = (frame.ranges.arrays || frame.device == LaunchDevice::Simulated) && !array.lacksMemory;
  if (needsExtent && !noteExtent(object, isSmall, frame)) [[unlikely]]
    return false;
  frame.pointers.push_back({unsigned(frame.specialized.slots.size()), object});
  if (array.isReadOnly) [[unlikely]]
    frame.readOnly.push_back(unsigned(frame.specialized.slots.size()));
  if (array.lacksMemory) [[unlikely]]
    frame.lackMemory.push_back(unsigned(frame.specialized.slots.size()));
  if (array.owner)
    frame.owners.push_back(std::move(array.owner));
  return true;
}

bool appendArray(const ParameterRule &rule, ArrayView &array, PyObject *object, LaunchFrame &frame) {
  bool isSmall = false;
  if (!noteArray(array, object, isSmall, frame)) [[unlikely]]
    return failArgument(rule, object);
  ArgumentView view = ArgumentView::pointer(array.data, array.element);
  view.isInRange = isSmall;
  return append(rule, view, object, frame);
}

/// A tensor descriptor: first its own view, then the views of its parts.
bool specializeDescriptor(const ParameterRule &rule, PyObject *object, LaunchFrame &frame) {
  DescriptorView view;
  if (!readDescriptor(object, view) || !noteArray(view.array, view.base.get(), view.descriptor.isSmall, frame))
      [[unlikely]]
    return failArgument(rule, object);
  // The array may have another address on the device.
  view.descriptor.address = reinterpret_cast<uintptr_t>(view.array.data);
  frame.owners.push_back(std::move(view.base));
  size_t next = 0;
  return runtime::visitDescriptor(view.descriptor, [&](ArgumentView part) {
    noteSign(part, frame);
    size_t index = next++;
    const ParameterRule &own =
        index == 0 ? rule : runtime::descriptorPartRule(rule, view.descriptor.type.rank, index - 1);
    return append(own, part, object, frame);
  });
}

/// Everything but plain numbers, None and arrays.
bool specializeOther(const ParameterRule &rule, PyObject *object, LaunchFrame &frame) {
  if (isConstexpr(object)) {
    Reference value = constexprValue(object);
    if (!value)
      return false;
    frame.owners.push_back(value);
    return specializeConstant(rule, value.get(), frame);
  }
  if (PyTuple_Check(object))
    return specializeTuple(rule, object, frame);
  if (isTensorDescriptor(object))
    return specializeDescriptor(rule, object, frame);
  if (isCompileTimeOnly(object))
    return specializeConstant(rule, object, frame);
  PyErr_SetString(PyExc_TypeError,
                  "a kernel takes arrays, tensor descriptors, numbers, None, dtypes, kernels and tuples "
                  "of these; other values only for parameters annotated `tl.constexpr`");
  return failArgument(rule, object);
}

bool specializeScalar(const ParameterRule &rule, PyObject *object, LaunchFrame &frame) {
  Reference number = plainNumber(object);
  if (!number)
    return failArgument(rule, object);
  frame.owners.push_back(number);
  return specialize(rule, number.get(), frame);
}

} // namespace

bool specialize(const ParameterRule &rule, PyObject *object, LaunchFrame &frame) {
  ArgumentView view;
  if (viewOfNumber(object, rule.isConstexpr, view)) {
    view.isConstant = rule.isConstexpr;
    noteSign(view, frame);
    return append(rule, view, object, frame);
  }
  if (PyErr_Occurred()) [[unlikely]]
    return failArgument(rule, object);
  if (rule.isConstexpr) {
    if (isNumPyScalar(object))
      return specializeScalar(rule, object, frame);
    if (!isConstexpr(object))
      return specializeConstant(rule, object, frame);
    return specializeOther(rule, object, frame);
  }
  if (PyTuple_Check(object))
    return specializeTuple(rule, object, frame);
  ArrayView array;
  ArrayRead read = readArray(object, array);
  if (read == ArrayRead::Found) [[likely]]
    return appendArray(rule, array, object, frame);
  switch (read) {
  case ArrayRead::Failed:
    return failArgument(rule, object);
  case ArrayRead::Scalar:
    return specializeScalar(rule, object, frame);
  case ArrayRead::Found:
  case ArrayRead::NotAnArray:
    break;
  }
  return specializeOther(rule, object, frame);
}

PyObject *firstOfEqual(const LaunchFrame &frame) {
  // What specializeConstant appends: the word of the parameter, 0, and what appendConstantWords does.
  const std::vector<uint64_t> &key = frame.specialized.key;
  if (key.size() != 4 || frame.views.size() != 1 || frame.views.front().kind != ArgumentView::Kind::Constant ||
      key[2] != uint64_t(ArgumentView::Kind::Constant))
    return nullptr;
  return reinterpret_cast<PyObject *>(uintptr_t(key[3]));
}

bool appendToKey(PyObject *value, LaunchFrame &frame) { return appendConstantWords(value, frame); }

std::vector<frontend::KernelArgument> describeArguments(std::span<const ParameterRule> rules,
                                                        const LaunchFrame &frame) {
  runtime::ConstantSource constants;
  constants.object = [&](size_t index) { return toObject(frame.objects[index]); };
  constants.fieldNames = [&](size_t index) { return fieldNames(frame.objects[index]); };
  return runtime::describeArguments(rules, frame.views, constants);
}

} // namespace triton::python
