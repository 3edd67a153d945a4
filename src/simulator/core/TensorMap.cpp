#include "simulator/core/TensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace triton::simulator {

unsigned TensorMap::elementBytes() const {
  switch (type) {
  case ElementType::U8:
    return 1;
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::U32:
  case ElementType::I32:
  case ElementType::F32:
  case ElementType::F32Flushed:
  case ElementType::TF32:
  case ElementType::TF32Flushed:
    return 4;
  case ElementType::U64:
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  }
  __builtin_unreachable();
}

static std::string checkBox(const TensorMapArguments &arguments, const TensorMap &map) {
  if (arguments.box.size() != arguments.sizes.size() || arguments.elementStrides.size() != arguments.sizes.size())
    return "the box and the element strides need a number for each dimension";
  for (uint32_t extent : arguments.box)
    if (extent < 1 || extent > 256)
      return llvm::formatv("a box has 1 to 256 elements along each dimension, not {0}", extent);
  for (uint32_t stride : arguments.elementStrides)
    if (stride < 1 || stride > 8)
      return llvm::formatv("element strides are 1 to 8, not {0}", stride);
  unsigned bytes = arguments.box[0] * map.elementBytes();
  if (bytes % 16 != 0)
    return llvm::formatv("the contiguous bytes of a box must be a multiple of 16, not {0}", bytes);
  if (map.swizzle != TensorMap::Swizzle::None && bytes > map.swizzleSpan())
    return llvm::formatv("the contiguous bytes of a box must fit the {0} bytes of the swizzle; they are {1}",
                         map.swizzleSpan(), bytes);
  return "";
}

static std::string checkTensor(const TensorMapArguments &arguments) {
  constexpr uint64_t largest = uint64_t(1) << 32, largestStride = uint64_t(1) << 40;
  if (arguments.address % 16 != 0)
    return "the tensor's address must be a multiple of 16";
  for (uint64_t size : arguments.sizes)
    if (size < 1 || size > largest)
      return llvm::formatv("dimensions have 1 to 2^32 elements, not {0}", size);
  if (arguments.strides.size() + 1 != arguments.sizes.size())
    return "strides are needed of all dimensions but the first";
  for (uint64_t stride : arguments.strides)
    if (stride % 16 != 0 || stride >= largestStride)
      return llvm::formatv("strides are multiples of 16 bytes below 2^40, not {0}", stride);
  return "";
}

std::string encodeTensorMap(const TensorMapArguments &arguments, TensorMap &map) {
  std::size_t rank = arguments.sizes.size();
  if (rank < 1 || rank > TensorMap::mostDimensions)
    return llvm::formatv("tensors have 1 to 5 dimensions, not {0}", rank);
  if (arguments.type > uint32_t(TensorMap::ElementType::TF32Flushed))
    return llvm::formatv("no element type has the number {0}", arguments.type);
  if (arguments.swizzle > uint32_t(TensorMap::Swizzle::Bytes128))
    return llvm::formatv("no swizzle has the number {0}", arguments.swizzle);
  if (arguments.interleave != 0)
    return "the simulator does not support interleaved layouts";
  map = {};
  map.mark = TensorMap::signature;
  map.address = arguments.address;
  map.type = TensorMap::ElementType(arguments.type);
  map.rank = uint8_t(rank);
  map.swizzle = TensorMap::Swizzle(arguments.swizzle);
  map.fill = TensorMap::Fill(arguments.fill);
  bool isFloat = map.type >= TensorMap::ElementType::F16;
  if (arguments.fill > 1 || (arguments.fill == 1 && !isFloat))
    return "only tensors of floats can be filled with NaN";
  if (arguments.l2Promotion > 3)
    return llvm::formatv("no L2 promotion has the number {0}", arguments.l2Promotion);
  std::string error = checkTensor(arguments);
  if (error.empty())
    error = checkBox(arguments, map);
  if (!error.empty())
    return error;
  std::fill_n(map.sizes, TensorMap::mostDimensions, 1);
  std::fill_n(map.box, TensorMap::mostDimensions, 1);
  std::fill_n(map.elementStrides, TensorMap::mostDimensions, 1);
  llvm::copy(arguments.sizes, map.sizes);
  llvm::copy(arguments.strides, map.strides);
  llvm::copy(arguments.box, map.box);
  llvm::copy(arguments.elementStrides, map.elementStrides);
  return "";
}

} // namespace triton::simulator
