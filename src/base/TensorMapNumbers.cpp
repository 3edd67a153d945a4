#include "base/TensorMapNumbers.h"

#include "base/LoadedKernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::base {

namespace {

constexpr uint64_t alignment = 16; // of addresses and strides

/// NaNs as the hardware pads with them: words of 16 bits with this value, whatever the type.
constexpr TensorMapPadding makePadding() {
  constexpr uint16_t nan = 0x7ff7;
  TensorMapPadding padding{};
  for (std::size_t i = TensorMapPadding::half; i < padding.bytes.size(); i += 2) {
    padding.bytes[i] = uint8_t(nan);
    padding.bytes[i + 1] = uint8_t(nan >> 8);
  }
  return padding;
}

/// Evaluates and checks the expressions of one tensor map.
class Computation {
public:
  Computation(const TensorMapParameter &map, const std::string &kernel, std::span<const uint64_t> slots,
              std::span<const RuntimeArgument> arguments)
      : map(map), kernel(kernel), slots(slots), arguments(arguments) {}

  TensorMapNumbers run(llvm::function_ref<uint64_t()> paddingAddress) const {
    std::size_t rank = map.shape.size();
    if (std::string wrong = checkTensorMap(map, std::min(slots.size(), arguments.size())); !wrong.empty())
      fail("cannot be described to bulk copies: " + wrong);
    TensorMapNumbers numbers;
    numbers.type = tensorMapType(map);
    numbers.rank = uint32_t(rank);
    numbers.swizzle = tensorMapSwizzle(map);
    numbers.fill = map.padsWithNaN;
    for (std::size_t dimension = 0; dimension < rank; ++dimension) {
      std::size_t place = rank - 1 - dimension;
      numbers.sizes[place] = extent(dimension);
      numbers.box[place] = map.box[dimension];
    }
    if (map.fp4Padded)
      countHalves(numbers);
    if (llvm::is_contained(llvm::ArrayRef(numbers.sizes).take_front(rank), 0u))
      describePadding(numbers, paddingAddress());
    else
      describeArray(numbers);
    return numbers;
  }

private:
  [[noreturn]] void fail(const std::string &text) const {
    throw LaunchError("cannot launch kernel `" + kernel + "`: the array of `" + map.name + "` " + text);
  }

  int64_t evaluate(const LaunchExpression &expression, const char *what) const {
    try {
      return expression.evaluate(slots, arguments);
    } catch (const LaunchError &error) {
      fail("has no " + std::string(what) + ": " + error.what());
    }
  }

  /// Floats of 4 bits are counted, of which the map takes only whole groups.
  void countHalves(TensorMapNumbers &numbers) const {
    constexpr uint64_t group = 128;
    numbers.box[0] *= 2;
    numbers.sizes[0] *= 2;
    if (numbers.sizes[0] % group != 0)
      fail(llvm::formatv("has rows of {0} floats of 4 bits; copies that pad them need a multiple of 128",
                         numbers.sizes[0]));
  }

  void describeArray(TensorMapNumbers &numbers) const {
    numbers.address = address();
    for (unsigned place = 1; place < numbers.rank; ++place)
      numbers.strides[place - 1] = numbers.sizes[place] == 1 ? alignment : stride(numbers.rank - 1 - place);
  }

  /// Address and strides of an array without elements do not matter.
  static void describePadding(TensorMapNumbers &numbers, uint64_t paddingAddress) {
    numbers.address = paddingAddress + (numbers.fill ? TensorMapPadding::half : 0);
    std::fill_n(numbers.sizes.begin(), numbers.rank, 1);
    std::fill_n(numbers.strides.begin(), numbers.rank - 1, alignment);
  }

  uint64_t address() const {
    auto address = uint64_t(evaluate(map.base, "address"));
    if (address % alignment != 0)
      fail(llvm::formatv("begins at the address {0:x}, which must be a multiple of 16", address));
    return address;
  }

  /// A negative one contains as many indices as 0.
  uint64_t extent(std::size_t dimension) const {
    int64_t extent = std::max<int64_t>(0, evaluate(map.shape[dimension], "extent"));
    if (extent > int64_t(1) << 32)
      fail(llvm::formatv("has {0} elements along dimension {1}; there may be at most 2^32", extent, dimension));
    return uint64_t(extent);
  }

  uint64_t stride(std::size_t dimension) const {
    int64_t stride = evaluate(map.strides[dimension], "stride");
    constexpr int64_t limit = int64_t(1) << 40; // bytes
    int64_t elementBytes = bitWidth(map.element) / 8;
    bool isTooLarge = stride < 0 || stride >= limit; // so that the product is a number, too
    if (isTooLarge || stride * elementBytes >= limit || stride * elementBytes % int64_t(alignment) != 0)
      fail(llvm::formatv("has a stride of {0} elements of {1} bytes along dimension {2}; a stride must be a multiple "
                         "of 16 bytes from 0 to 2^40",
                         stride, elementBytes, dimension));
    return uint64_t(stride * elementBytes);
  }

  const TensorMapParameter &map;
  const std::string &kernel;
  std::span<const uint64_t> slots;
  std::span<const RuntimeArgument> arguments;
};

} // namespace

const TensorMapPadding tensorMapPadding = makePadding();

// As CUtensorMapDataType numbers them. Copies do not compute with elements of 8 bits, whatever they are.
uint32_t tensorMapType(const TensorMapParameter &map) {
  constexpr uint32_t u8 = 0, u16 = 1, u32 = 2, i32 = 3, u64 = 4, i64 = 5, f16 = 6, f32 = 7, f64 = 8, bf16 = 9,
                     tf32 = 11, padded4 = 14;
  if (map.fp4Padded)
    return padded4;
  switch (map.element) {
  case ScalarType::Int16:
  case ScalarType::UInt16:
    return u16;
  case ScalarType::Int32:
    return i32;
  case ScalarType::UInt32:
    return u32;
  case ScalarType::Int64:
    return i64;
  case ScalarType::UInt64:
    return u64;
  case ScalarType::Float16:
    return f16;
  case ScalarType::BFloat16:
    return bf16;
  case ScalarType::Float32:
    return map.roundsToTF32 ? tf32 : f32;
  case ScalarType::Float64:
    return f64;
  default:
    return u8;
  }
}

uint32_t tensorMapSwizzle(const TensorMapParameter &map) {
  return map.swizzleBytes == 0 ? 0 : llvm::Log2_32(map.swizzleBytes / 16);
}

std::string TensorMapNumbers::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto list = [&](llvm::StringRef name, auto numbers) {
    out << ", " << name << " (";
    llvm::interleaveComma(numbers, out);
    out << ')';
  };
  out << "type " << type << ", address " << llvm::format_hex(address, 1);
  list("sizes", llvm::ArrayRef(sizes).take_front(rank));
  list("strides", llvm::ArrayRef(strides).take_front(rank - 1));
  list("box", llvm::ArrayRef(box).take_front(rank));
  out << ", swizzle " << swizzle << ", fill " << fill;
  return text;
}

TensorMapNumbers computeTensorMap(const TensorMapParameter &map, const std::string &kernel,
                                  std::span<const uint64_t> slots, std::span<const RuntimeArgument> arguments,
                                  llvm::function_ref<uint64_t()> paddingAddress) {
  return Computation(map, kernel, slots, arguments).run(paddingAddress);
}

void refuseTensorMap(const TensorMapParameter &map, const std::string &kernel, const TensorMapNumbers &numbers,
                     const std::string &reason) {
  throw LaunchError("cannot launch kernel `" + kernel + "`: no tensor map describes the array of `" + map.name + "` (" +
                    numbers.str() + "): " + reason);
}

} // namespace triton::base
