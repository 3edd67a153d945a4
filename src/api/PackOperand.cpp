#include "triton/packing.h"

#include "api/Errors.h"
#include "compiler/Devices.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace triton;
using namespace triton::api;

namespace {

struct ElementType {
  const char *name; ///< in signatures
  int64_t bytes;
};

ElementType elementType(DataType dtype) {
  switch (dtype) {
  case DataType::Float32:
    return {"fp32", 4};
  case DataType::Float64:
    return {"fp64", 8};
  case DataType::Float16:
    return {"fp16", 2};
  case DataType::BFloat16:
    return {"bf16", 2};
  case DataType::Int8:
    return {"i8", 1};
  default:
    throwLaunchError("packed operands have elements of float32, float64, float16, bfloat16 or int8");
  }
}

void check(const PackedShape &shape) {
  if (shape.rows < 0 || shape.columns < 0)
    throwLaunchError("a matrix does not have " + std::to_string(std::min(shape.rows, shape.columns)) +
                     " rows or columns");
  for (int64_t extent : {shape.blockRows, shape.blockColumns, shape.blockM})
    if (extent < 1 || !std::has_single_bit(uint64_t(extent)))
      throwLaunchError("the extents of blocks are powers of two, not " + std::to_string(extent));
}

/// Copies one block, whose last rows and columns may lie outside of the matrix.
void packBlock(const char *matrix, int64_t rowBytes, int64_t bytes, int64_t rows, int64_t columns,
               const PackedShape &shape, OperandPacking packing, char *packed) {
  for (int64_t row = 0; row < rows; ++row) {
    int64_t group = row / packing.group, inGroup = row % packing.group;
    for (int64_t column = 0; column < columns; ++column) {
      int64_t panel = column / packing.panel, inPanel = column % packing.panel;
      int64_t place = ((panel * (shape.blockRows / packing.group) + group) * packing.panel + inPanel) * packing.group;
      std::memcpy(packed + (place + inGroup) * bytes, matrix + row * rowBytes + column * bytes, std::size_t(bytes));
    }
  }
}

} // namespace

OperandPacking triton::packOperand(const void *matrix, int64_t rowStride, DataType dtype, const PackedShape &shape,
                                   void *packed, std::string_view arch) {
  ElementType type = elementType(dtype);
  check(shape);
  auto [panel, group] = translateErrors([&] {
    return compiler::operandPacking("cpu", std::string(arch), type.name,
                                    {shape.blockM, shape.blockColumns, shape.blockRows});
  });
  OperandPacking packing{panel, group};
  std::memset(packed, 0, std::size_t(shape.elements() * type.bytes));
  auto *target = static_cast<char *>(packed);
  for (int64_t n = 0; n < shape.columns; n += shape.blockColumns)
    for (int64_t k = 0; k < shape.blocksOfRows() * shape.blockRows; k += shape.blockRows) {
      const char *first = static_cast<const char *>(matrix) + (k * rowStride + n) * type.bytes;
      packBlock(first, rowStride * type.bytes, type.bytes, std::min(shape.blockRows, shape.rows - k),
                std::min(shape.blockColumns, shape.columns - n), shape, packing, target);
      target += shape.blockRows * shape.blockColumns * type.bytes;
    }
  return packing;
}
