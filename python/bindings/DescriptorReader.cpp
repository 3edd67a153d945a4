#include "DescriptorReader.h"
#include "MadeOnce.h"
#include "Objects.h"

#include <array>
#include <span>

namespace triton::python {

namespace {

constexpr size_t maximumRank = base::DescriptorType::maximumRank;

/// The names of a descriptor's attributes, interned.
struct Names {
  PyObject *base, *shape, *strides, *blockShape, *padding, *roundToTF32, *layout, *swizzle, *fp4Padded, *blocks;
};

const Names &names() {
  return madeOnce([] {
    auto intern = [](const char *name) { return PyUnicode_InternFromString(name); };
    return Names{intern("base"),       intern("shape"),
                 intern("strides"),    intern("block_shape"),
                 intern("padding"),    intern("round_f32_to_tf32"),
                 intern("layout"),     intern("swizzle_byte_width"),
                 intern("fp4_padded"), intern("cga_layout")};
  });
}

/// A list of integers, of which at most maximumRank are kept.
struct Extents {
  std::array<int64_t, maximumRank> values{};
  size_t count = 0;
  std::span<const int64_t> kept() const { return std::span(values).first(std::min(count, maximumRank)); }
};

bool readInteger(PyObject *item, int64_t &value) {
  Reference held = Reference::borrow(item);
  if (isConstexpr(item) && !(held = constexprValue(item)))
    return false;
  Reference index = Reference::steal(PyNumber_Index(held.get()));
  value = index ? PyLong_AsLongLong(index.get()) : 0;
  return index && !PyErr_Occurred();
}

bool readExtents(PyObject *object, PyObject *name, Extents &extents) {
  Reference list = Reference::steal(PyObject_GetAttr(object, name));
  Reference items = Reference::steal(list ? PySequence_Fast(list.get(), "a descriptor's shape, strides and block shape "
                                                                        "are lists of integers")
                                          : nullptr);
  if (!items)
    return false;
  extents.count = size_t(PySequence_Fast_GET_SIZE(items.get()));
  for (size_t i = 0; i < extents.kept().size(); ++i)
    if (Reference item = elementOf(items.get(), Py_ssize_t(i)); !item || !readInteger(item.get(), extents.values[i]))
      return false;
  return true;
}

bool fail(PyObject *kind, const std::string &message) {
  PyErr_SetString(kind, message.c_str());
  return false;
}

bool readBase(PyObject *object, DescriptorView &view) {
  view.base = Reference::steal(PyObject_GetAttr(object, names().base));
  if (!view.base)
    return false;
  switch (readArray(view.base.get(), view.array)) {
  case ArrayRead::Found:
    break;
  case ArrayRead::Failed:
    return false;
  case ArrayRead::NotAnArray:
  case ArrayRead::Scalar:
    PyErr_Format(PyExc_TypeError, "its base is a `%s`, which is not an array", typeName(view.base.get()).c_str());
    return false;
  }
  if (view.array.element.isPointer())
    return fail(PyExc_TypeError, "its base is an array of pointers");
  view.descriptor.type.element = view.array.element.scalar;
  view.descriptor.address = reinterpret_cast<uintptr_t>(view.array.data);
  return true;
}

bool readPadding(PyObject *object, base::DescriptorType &type) {
  Reference padding = Reference::steal(PyObject_GetAttr(object, names().padding));
  Reference rounds = Reference::steal(PyObject_GetAttr(object, names().roundToTF32));
  if (!padding || !rounds)
    return false;
  bool isText = PyUnicode_Check(padding.get()) != 0;
  type.padsWithNaN = isText && PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  if (!type.padsWithNaN && (!isText || PyUnicode_CompareWithASCIIString(padding.get(), "zero") != 0)) {
    PyErr_Format(PyExc_AssertionError, "the padding %R is neither 'zero' nor 'nan'", padding.get());
    return false;
  }
  int truth = PyObject_IsTrue(rounds.get());
  type.roundsToTF32 = truth == 1;
  return truth >= 0;
}

/// Reads the rank and the block, which the shape and the strides must match.
bool readShapes(PyObject *object, runtime::HostDescriptor &descriptor) {
  Extents shape, strides, block;
  if (!readExtents(object, names().shape, shape) || !readExtents(object, names().strides, strides) ||
      !readExtents(object, names().blockShape, block))
    return false;
  if (shape.count < 1 || shape.count > maximumRank)
    return fail(PyExc_AssertionError, "a descriptor has one to five dimensions, not " + std::to_string(shape.count));
  auto count = [&](size_t number) { return std::to_string(number) + " for " + std::to_string(shape.count); };
  if (strides.count != shape.count)
    return fail(PyExc_AssertionError, "the number of strides is " + count(strides.count) + " dimensions");
  if (block.count != shape.count)
    return fail(PyExc_AssertionError, "the number of block dimensions is " + count(block.count) + " dimensions");
  descriptor.shape = shape.values;
  descriptor.strides = strides.values;
  std::string message = setBlock(descriptor.type, block.kept());
  return message.empty() || fail(PyExc_ValueError, message);
}

/// The class of descriptors; null when it cannot be imported.
PyTypeObject *descriptorClass() {
  static PyObject *type = nullptr;
  if (!type) {
    Reference module = Reference::steal(PyImport_ImportModule("triton.tools.tensor_descriptor"));
    type = module ? PyObject_GetAttrString(module.get(), "TensorDescriptor") : nullptr;
    if (!type)
      PyErr_Clear();
  }
  return reinterpret_cast<PyTypeObject *>(type);
}

/// Reads how the blocks of a cluster divide buffers: a tuple with a tuple of numbers for each bit.
bool readBlocks(PyObject *bases, base::DescriptorType &type) {
  std::vector<int64_t> numbers;
  if (!PyTuple_Check(bases))
    return fail(PyExc_AssertionError, "the `cga_layout` of its layout is not a tuple");
  for (Py_ssize_t bit = 0; bit < PyTuple_GET_SIZE(bases); ++bit) {
    PyObject *basis = PyTuple_GET_ITEM(bases, bit);
    if (!PyTuple_Check(basis) || PyTuple_GET_SIZE(basis) != type.rank)
      return fail(PyExc_AssertionError, "a basis in the `cga_layout` of its layout has no number for each dimension");
    for (Py_ssize_t dimension = 0; dimension < type.rank; ++dimension)
      if (!readInteger(PyTuple_GET_ITEM(basis, dimension), numbers.emplace_back()))
        return false;
  }
  if (numbers.empty() || type.setBlockBases(numbers))
    return true;
  return fail(PyExc_AssertionError, "the `cga_layout` of its layout has more than three bases, or does not divide "
                                    "dimensions by 1, 2 and 4 in this order");
}

/// Reads the layout of buffers, which descriptors of Gluon have: their class derives from the other one.
bool readLayout(PyObject *object, base::DescriptorType &type) {
  if (Py_TYPE(object) == descriptorClass() || !PyObject_HasAttr(object, names().layout))
    return true;
  Reference layout = Reference::steal(PyObject_GetAttr(object, names().layout));
  Reference swizzle = Reference::steal(layout ? PyObject_GetAttr(layout.get(), names().swizzle) : nullptr);
  int64_t bytes = 0;
  if (!swizzle || !readInteger(swizzle.get(), bytes))
    return false;
  if (!base::isSwizzle(bytes))
    return fail(PyExc_AssertionError, "its layout has pieces of " + std::to_string(bytes) + " bytes");
  type.bufferSwizzle = uint8_t(bytes);
  Reference padded = Reference::steal(PyObject_GetAttr(layout.get(), names().fp4Padded));
  Reference blocks = Reference::steal(PyObject_GetAttr(layout.get(), names().blocks));
  if (!padded || !blocks)
    return false;
  type.fp4Padded = padded.get() == Py_True;
  return readBlocks(blocks.get(), type);
}

} // namespace

bool isTensorDescriptor(PyObject *object) {
  PyTypeObject *type = descriptorClass();
  return type && PyObject_TypeCheck(object, type) != 0;
}

bool readDescriptor(PyObject *object, DescriptorView &view) {
  runtime::HostDescriptor &descriptor = view.descriptor;
  if (!readBase(object, view) || !readShapes(object, descriptor) || !readPadding(object, descriptor.type) ||
      !readLayout(object, descriptor.type))
    return false;
  std::string message = checkDescriptor(descriptor);
  return message.empty() || fail(PyExc_AssertionError, message);
}

} // namespace triton::python
