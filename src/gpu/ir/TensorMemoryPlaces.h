// Where elements lie in tensor memory: 128 lanes, each with columns of 32 bits.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

constexpr unsigned tensorMemoryLanes = 128, tensorMemoryColumns = 512, columnBytes = 4;

/// Whether the encoding is one of tensor memory.
bool isTensorMemoryEncoding(mlir::Attribute encoding);

/// The blocks of a cluster that such an encoding is for.
unsigned countBlocks(mlir::Attribute encoding);

/// (dim0, dim1) -> (lane, byte of the lane), of the last two dimensions of the whole buffer.
layout::LinearLayout getTensorMemoryPlaces(MemDescType buffer);

/// The columns of all matrices of a buffer, and of one of them.
uint64_t countTensorMemoryColumns(MemDescType buffer);
unsigned countMatrixColumns(MemDescType buffer);

/// The layout of a tensor with which the instructions of this shape, such as "32x32b", move the whole matrix between
/// registers of so many warps and `buffer`. Null, with `obstacle`, where there is none.
mlir::Attribute findTransferLayout(MemDescType buffer, unsigned warps, llvm::StringRef shape, std::string &obstacle);

/// Instructions that move data between tensor memory and the registers of a warp.
struct TransferShape {
  /// What a bit of a number adds to the place in tensor memory. A distance of a lane is chosen by the instruction.
  struct Step {
    int32_t lane, column;
  };
  static constexpr int32_t anyColumn = -1; ///< the distance is an operand

  llvm::StringLiteral name;
  Step lanes[5];      ///< of the bits of a thread's number in its warp
  Step first[2];      ///< of the lowest bits of a register's number, as many as `fixedBits`
  unsigned fixedBits; ///< that an instruction has at least
  int32_t nextColumn; ///< of the first bit after these; each further one adds twice as much
};

llvm::ArrayRef<TransferShape> transferShapes();

/// What bit `bit` of a register's number adds.
TransferShape::Step stepOfRegister(const TransferShape &shape, unsigned bit);

} // namespace triton::ttg
