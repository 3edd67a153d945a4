// tcgen05: transfers between registers and tensor memory, and what one thread starts there.
#pragma once

#include "simulator/core/Program.h"
#include "simulator/core/TensorMemory.h"

#include <vector>

namespace triton::simulator::nvptx {

/// tcgen05.alloc, which writes the address of columns to shared memory, and tcgen05.dealloc. Operands: an address, and
/// for the latter that of the columns. The immediate is the number of columns.
Handler reserveColumnsHandler();
Handler releaseColumnsHandler();
Handler giveUpColumnsHandler(); ///< tcgen05.relinquish_alloc_permit

/// tcgen05.ld and tcgen05.st, the `detail`. Word r of lane l is at a lane and a column behind the address.
struct TensorTransfer {
  enum class Shape : uint8_t { Rows32, Rows16Twice, Columns64, Columns128, Columns256 };
  Shape shape = Shape::Rows32;
  bool isStore = false;
  unsigned half = 0; ///< columns to those of the upper lanes, of Rows16Twice
  RegisterOffset address = 0;
  std::vector<RegisterOffset> registers = {};
};
Handler tensorTransferHandler();

/// tcgen05.mma, the `detail`: the lanes of `lanes` start it.
struct TensorProduct {
  enum class Kind : uint8_t { Halves, Tf32, Narrow, Bytes, Scaled32, PackedScaled32, PackedScaled16 };
  Kind kind = Kind::Halves;
  bool isLeftInMemory = false;
  RegisterOffset d = 0, a = 0, b = 0, description = 0, aScale = 0, bScale = 0, adds = 0, lanes = 0;

  bool hasScales() const { return kind >= Kind::Scaled32; }
  bool isPacked() const { return kind >= Kind::PackedScaled32; }
};
Handler tensorProductHandler();
/// tcgen05.cp of 32 rows of 16 bytes to all quarters of the lanes. Operands: the address in tensor memory, the
/// descriptor, the lanes that start it.
Handler tensorCopyHandler();
/// tcgen05.commit. Operands: the address of the barrier, the lanes that execute it.
Handler tensorCommitHandler();

/// An access of tensor memory for a warp, or for the unit that works for it.
class TensorAccess {
public:
  TensorAccess(Warp &warp, uint32_t location, bool isOfUnit);

  /// The word, or a word of nothing after reporting that it may not be accessed.
  uint32_t &word(unsigned lane, unsigned column, bool writes);

private:
  void report(TensorMemory::Outcome outcome, unsigned lane, unsigned column, bool writes);

  Warp &warp;
  TensorMemory &memory;
  uint32_t location;
  Agent self;
  bool isOfUnit, isReported = false;
  std::vector<bool> recorded; ///< parts and columns, reads and writes apart
  uint32_t nothing = 0;
};
TensorMemory::Unit &unitOf(Warp &warp);

} // namespace triton::simulator::nvptx
