// cp.async.bulk: copies between global and shared memory that one thread starts. A copy moves a run of bytes, or a box
// of a tensor that a tensor map describes. st.async, which copies registers of each thread, is one as well.
#pragma once

#include "simulator/core/Program.h"
#include "simulator/core/TensorMap.h"

namespace triton::simulator::nvptx {

/// One decoded copy. Addresses have 8 bytes (Warp::findSharedPlace).
struct BulkCopy {
  enum class Kind : uint8_t {
    Load,     ///< from global to shared memory of one or several programs; ends at a barrier
    Store,    ///< from shared to global memory; ends with its group
    Reduce,   ///< the same, but each element is combined with the old one
    Exchange, ///< shared to that of another program; ends at a barrier there
    Words     ///< the same from registers of 32 bits
  };
  enum class Reduction : uint8_t { Add, Min, Max, Increment, Decrement, And, Or, Xor };

  Kind kind = Kind::Load;
  bool isTensor = false;
  Reduction reduction = Reduction::Add;
  TensorMap::ElementType type = TensorMap::ElementType::U8; ///< given by a reduction of a run of bytes
  RegisterOffset destination = 0, source = 0;               ///< of tensors, one is the address of the map
  RegisterOffset barrier = 0;
  RegisterOffset size = 0;                          ///< in bytes, of a run
  llvm::SmallVector<RegisterOffset, 4> words;       ///< that are stored
  std::optional<RegisterOffset> programs;           ///< a mask of ranks, 16 bits
  llvm::SmallVector<RegisterOffset, 5> coordinates; ///< the contiguous dimension first
  bool fourRows = false; ///< The coordinates are the column and the numbers of four rows, which a box has one of.
  RegisterOffset lanes = 0;
};

std::optional<BulkCopy::Reduction> parseReduction(llvm::StringRef name);

/// `detail` is a BulkCopy.
Handler bulkCopyHandler();
Handler bulkCommitHandler();
/// Waits until at most `immediate` groups are left; operands[0]: the lanes.
Handler bulkWaitHandler(bool onlyForReads);

} // namespace triton::simulator::nvptx
