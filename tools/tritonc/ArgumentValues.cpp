#include "ArgumentValues.h"
#include "Commands.h"
#include "KernelInput.h"

#include "api/KernelState.h"
#include "base/DescriptorType.h"
#include "base/ScalarTypeNames.h"
#include "base/SplitAtCommas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace tritonc;
using llvm::StringRef;
using triton::DataType;

llvm::SmallVector<StringRef> tritonc::splitItems(StringRef signature) {
  llvm::SmallVector<StringRef> items = triton::base::splitSignature(signature);
  if (llvm::is_contained(items, ""))
    throw UsageError("`" + signature.str() + "`: an item between two commas is empty");
  return items;
}

/// Accepts "f32" in addition to the language's own "fp32" and "float32".
static std::optional<DataType> parseDataType(StringRef text) {
  std::string name = text.trim().str();
  if (name == "f16" || name == "f32" || name == "f64")
    name.insert(1, "p");
  std::optional<triton::base::ScalarType> type = triton::base::parseScalarType(name);
  if (!type || *type == triton::base::ScalarType::Void)
    return std::nullopt;
  return DataType(int(*type));
}

std::string tritonc::typeName(DataType dtype) {
  return std::string(triton::base::shortName(triton::base::ScalarType(int(dtype))));
}

static std::optional<std::string> unquote(StringRef text) {
  if (text.size() < 2 || text.front() != text.back() || (text.front() != '"' && text.front() != '\''))
    return std::nullopt;
  return text.drop_front().drop_back().str();
}

/// The kernel that a name of the file denotes, which may be an imported one.
static std::optional<triton::Kernel> kernelOf(const triton::Module &module, const std::string &name) {
  try {
    return module.kernel(name);
  } catch (const triton::Error &) {
    return std::nullopt;
  }
}

void ArgumentList::addConstant(const std::string &name, const std::string &value) {
  StringRef text(value);
  std::string_view kept = texts.emplace_back(name);
  int64_t integer;
  double number;
  if (std::optional<std::string> string = unquote(text))
    constants.push_back(triton::constant(kept, std::string_view(texts.emplace_back(*string))));
  else if (text == "True" || text == "False")
    constants.push_back(triton::constant(kept, text == "True"));
  else if (text == "None")
    constants.push_back(triton::constant(kept, nullptr));
  else if (!text.getAsInteger(0, integer))
    constants.push_back(triton::constant(kept, integer));
  else if (!text.getAsDouble(number))
    constants.push_back(triton::constant(kept, number));
  else if (text.consume_front("tl.") && parseDataType(text))
    constants.push_back(triton::constant(kept, *parseDataType(text)));
  else if (std::optional<triton::Kernel> kernel = kernelOf(module, value))
    constants.push_back(triton::constant(kept, *kernel));
  else if (auto object = triton::KernelInternals::stateOf(module).loaded->evaluate(value))
    constants.push_back(triton::KernelInternals::constant(kept, std::move(object)));
  else
    throw UsageError(
        "`" + value + "` is neither a type nor a constant; types are " + triton::base::shortTypeNames() +
        ", pointers such as *fp32 and tensordesc<fp16[64, 32]>; constants are a number, True, False, None, "
        "\"text\", tl.float16, the name of a kernel in the file, or an expression over the file's names, such as "
        "ttgl.BlockedLayout([1], [32], [4], [0])");
  list.emplace_back(constants.back());
}

void ArgumentList::addSignature(const std::string &signature) {
  for (StringRef item : splitItems(signature)) {
    auto [name, value] = item.split('=');
    bool isNamed = item.contains('=') && llvm::all_of(name.trim(), [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isNamed)
      name = item;
    std::string text = (isNamed ? value : name).trim().str();
    if (triton::base::parseElementType(StringRef(text).split(':').first.str()) ||
        triton::base::parseDescriptorType(text)) {
      triton::Argument type(triton::type(texts.emplace_back(text)));
      list.push_back(isNamed ? triton::argument(texts.emplace_back(name.trim().str()), type) : type);
    } else {
      addConstant(isNamed ? name.trim().str() : "", text);
    }
  }
}

void ArgumentList::addValue(const std::string &argument) {
  auto [name, value] = StringRef(argument).split('=');
  if (!StringRef(argument).contains('='))
    throw UsageError("`" + argument + "`: write an argument as name=value");
  auto [fill, type] = value.split(':');
  if (type.contains('[')) {
    addArray(name.trim().str(), fill.trim().str(), type.trim().str());
    return;
  }
  int64_t integer;
  double number;
  StringRef text = value.trim();
  std::string_view kept = texts.emplace_back(name.trim().str());
  if (!text.getAsInteger(0, integer))
    list.push_back(triton::argument(kept, integer));
  else if (!text.starts_with("\"") && !text.getAsDouble(number))
    list.push_back(triton::argument(kept, number));
  else
    addConstant(std::string(kept), text.str());
}

// ---- Arrays ----

static unsigned elementBytes(DataType dtype) {
  return std::max(1u, triton::base::bitWidth(triton::base::ScalarType(int(dtype))) / 8);
}

template <typename T> static void store(Array &array, int64_t index, T value) {
  std::memcpy(static_cast<char *>(array.data) + index * int64_t(sizeof(T)), &value, sizeof(T));
}

static void writeElement(Array &array, int64_t index, double value) {
  switch (array.dtype) {
  case DataType::Float64:
    return store(array, index, value);
  case DataType::Float32:
    return store(array, index, float(value));
  case DataType::Float16:
    return store(array, index, triton::half(float(value)));
  case DataType::BFloat16:
    return store(array, index, triton::bfloat16(float(value)));
  case DataType::Int16:
  case DataType::UInt16:
    return store(array, index, int16_t(std::isnan(value) ? -1 : int64_t(value)));
  case DataType::Int32:
  case DataType::UInt32:
    return store(array, index, int32_t(std::isnan(value) ? -1 : int64_t(value)));
  case DataType::Int64:
  case DataType::UInt64:
    return store(array, index, std::isnan(value) ? int64_t(-1) : int64_t(value));
  default: // one byte: integers, and fp8 by their bits
    return store(array, index, int8_t(std::isnan(value) ? -1 : int64_t(value)));
  }
}

template <typename T> static T loadElement(const Array &array, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(array.data) + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}

double tritonc::readElement(const Array &array, int64_t index) {
  switch (array.dtype) {
  case DataType::Float64:
    return loadElement<double>(array, index);
  case DataType::Float32:
    return double(loadElement<float>(array, index));
  case DataType::Float16:
    return double(float(loadElement<triton::half>(array, index)));
  case DataType::BFloat16:
    return double(float(loadElement<triton::bfloat16>(array, index)));
  case DataType::Int16:
    return loadElement<int16_t>(array, index);
  case DataType::UInt16:
    return loadElement<uint16_t>(array, index);
  case DataType::Int32:
    return loadElement<int32_t>(array, index);
  case DataType::UInt32:
    return loadElement<uint32_t>(array, index);
  case DataType::Int64:
    return double(loadElement<int64_t>(array, index));
  case DataType::UInt64:
    return double(loadElement<uint64_t>(array, index));
  case DataType::UInt8:
    return loadElement<uint8_t>(array, index);
  default:
    return loadElement<int8_t>(array, index);
  }
}

static void fillArray(Array &array, const std::string &fill, uint64_t seed) {
  // The name decides as well, because two equal arrays would hide that a kernel confuses its arguments.
  std::mt19937_64 generator(llvm::xxh3_64bits(array.name) + seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  bool isFloat = triton::base::isFloat(triton::base::ScalarType(int(array.dtype)));
  double constant = 0;
  if (fill != "rand" && fill != "randn" && fill != "zeros" && fill != "ones" && fill != "arange" && fill != "empty" &&
      StringRef(fill).getAsDouble(constant))
    throw UsageError("array `" + array.name + "`: `" + fill +
                     "` is not a filling; write rand, randn, zeros, ones, arange, empty, a number or @FILE");
  for (int64_t i = 0; i < array.elementCount; ++i) {
    double value = constant;
    if (fill == "rand")
      value = isFloat ? uniform(generator) : std::floor(uniform(generator) * 100);
    else if (fill == "randn")
      value = normal(generator);
    else if (fill == "ones")
      value = 1;
    else if (fill == "arange")
      value = double(i);
    else if (fill == "empty")
      value = NAN;
    writeElement(array, i, value);
  }
}

static std::size_t byteCount(const Array &array) { return std::size_t(array.elementCount) * elementBytes(array.dtype); }

std::string_view tritonc::bytesOf(const Array &array) {
  return {static_cast<const char *>(array.data), byteCount(array)};
}

/// Takes the elements from a file that holds nothing else.
static void readArray(Array &array, const std::string &file) {
  std::string bytes = readFile(file);
  if (bytes.size() != byteCount(array))
    throw UsageError(llvm::formatv("array `{0}`: `{1}` has {2} bytes, and the array {3}", array.name, file,
                                   bytes.size(), byteCount(array)));
  std::memcpy(array.data, bytes.data(), bytes.size());
}

/// The descriptor of an array that lies in memory row by row.
static triton::TensorDescriptor describe(const triton::base::DescriptorType &type, triton::TypedPointer base,
                                         const std::vector<int64_t> &shape) {
  triton::TensorDescriptor descriptor{base, shape, std::vector<int64_t>(shape.size(), 1), type.block()};
  for (std::size_t i = shape.size(); i-- > 1;)
    descriptor.strides[i - 1] = descriptor.strides[i] * shape[i];
  descriptor.padding =
      type.padsWithNaN ? triton::TensorDescriptor::Padding::NaN : triton::TensorDescriptor::Padding::Zero;
  descriptor.roundToTF32 = type.roundsToTF32;
  descriptor.bufferSwizzle = type.bufferSwizzle ? int(*type.bufferSwizzle) : -1;
  return descriptor;
}

void ArgumentList::addArray(const std::string &name, const std::string &fill, const std::string &spelled) {
  std::optional<triton::base::DescriptorType> descriptor;
  std::size_t end = spelled.rfind(">[");
  if (StringRef(spelled).starts_with("tensordesc<")) {
    if (end != std::string::npos)
      descriptor = triton::base::parseDescriptorType(spelled.substr(0, end + 1));
    if (!descriptor)
      throw UsageError("array `" + name + "`: `" + spelled + "` is not the type of a descriptor with the extents of " +
                       "its array; write both like tensordesc<fp16[64, 64]>[256, 128]");
  }
  auto [typeText, shapeText] =
      descriptor ? StringRef(spelled).drop_front(end + 1).split('[') : StringRef(spelled).split('[');
  std::optional<DataType> dtype = descriptor ? DataType(int(descriptor->element)) : parseDataType(typeText);
  if (!dtype)
    throw UsageError("array `" + name + "`: `" + typeText.str() + "` is not an element type; write one like f32 or i8");
  Array &array = arrayStore.emplace_back();
  array.name = name;
  array.dtype = *dtype;
  array.elementCount = 1;
  for (StringRef extent : triton::base::splitAtCommas(shapeText.take_until([](char c) { return c == ']'; }))) {
    int64_t value;
    if (extent.getAsInteger(10, value) || value < 0 || (value && array.elementCount > (int64_t(1) << 40) / value))
      throw UsageError(llvm::formatv("array `{0}`: `{1}` is not an extent", name, extent));
    array.shape.push_back(value);
    array.elementCount *= value;
  }
  constexpr std::size_t alignment = 64;
  array.bytes.resize(byteCount(array) + alignment);
  auto address = reinterpret_cast<uintptr_t>(array.bytes.data());
  array.data = reinterpret_cast<void *>((address + alignment - 1) & ~(alignment - 1));
  if (StringRef(fill).starts_with("@"))
    readArray(array, fill.substr(1));
  else
    fillArray(array, fill.empty() ? "zeros" : fill, seed);
  std::size_t bytes = byteCount(array);
  void *passed = onDevice ? array.device.emplace(array.data, bytes).data() : array.data;
  std::string_view kept = texts.emplace_back(name);
  triton::TypedPointer pointer = triton::pointer(passed, *dtype, bytes);
  if (descriptor)
    list.push_back(triton::argument(kept, descriptors.emplace_back(describe(*descriptor, pointer, array.shape))));
  else
    list.push_back(triton::argument(kept, pointer));
}

void ArgumentList::download() {
  for (Array &array : arrayStore)
    if (array.device)
      array.device->download(array.data, byteCount(array));
}
