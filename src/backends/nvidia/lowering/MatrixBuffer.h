// Operands of matrix units that read shared memory. The source is the PTX ISA, sections on the descriptors of matrices.
#pragma once

#include "backends/nvidia/lowering/Capabilities.h"

#include "gpu/ir/Dialect.h"
#include "gpu/lowering/SharedOffsets.h"

namespace triton::nvidia {

/// A buffer in the form in which instructions read it: the places of the elements of a matrix. Its rows, the *outer*
/// dimension, are those of A or the columns of B, and its other dimension is K.
class MatrixBuffer {
public:
  /// wgmma, or tcgen05.mma. Their descriptors differ in what says how the buffer is swizzled.
  enum class Unit { WarpGroup, TensorMemory };

  MatrixBuffer(mlir::TypedValue<ttg::MemDescType> view, unsigned depthDimension, Unit unit, Emitter &emitter)
      : emitter(emitter), unit(unit), encoding(mlir::cast<ttg::NvmmaSharedEncodingAttr>(view.getType().getEncoding())),
        outerExtent(view.getType().getAllocShape().take_back(2)[1 - depthDimension]),
        depthExtent(view.getType().getAllocShape().take_back(2)[depthDimension]),
        bytes(encoding.getElementBitWidth() / 8), span(std::max(encoding.getSwizzlingByteWidth(), 16u)),
        isDepthMajor((encoding.getTransposed() ? 0u : 1u) == depthDimension) {
    // Bits 0 to 13 of a descriptor are the bits from 4 on of an address of 18 bits.
    mlir::Value address = gpu::addressOfFirst(emitter, view);
    mlir::Value start = mlir::LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), address);
    low = emitter.shiftRight(emitter.bitAnd(start, 0x3ffff), 4);
    low = mlir::LLVM::OrOp::create(emitter.b, low, emitter.i32(int64_t(leadingOffset() >> 4) << 16));
  }

  bool depthMajor() const { return isDepthMajor; }

  /// The bytes from the start to an element, before the swizzle. Additive if the coordinates have no bits in common.
  int64_t offset(int64_t outer, int64_t depth) const {
    int64_t inner = isDepthMajor ? depth : outer, row = isDepthMajor ? outer : depth;
    int64_t piece = span / bytes;
    return inner / piece * pieceBytes() + row * span + inner % piece * bytes;
  }

  /// The descriptor of the tile that starts `constant` bytes, plus 16 times `sixteenths`, from the start.
  mlir::Value descriptor(int64_t constant, mlir::Value sixteenths) const {
    mlir::Value start = emitter.add(low, emitter.i32(constant >> 4));
    if (sixteenths)
      start = emitter.add(start, sixteenths);
    mlir::Type wide = emitter.b.getI64Type();
    mlir::Value extended = mlir::LLVM::ZExtOp::create(emitter.b, wide, start);
    return mlir::LLVM::OrOp::create(emitter.b, extended, emitter.i64(int64_t(high() << 32)));
  }

private:
  int64_t pieceBytes() const { return (isDepthMajor ? outerExtent : depthExtent) * span; }
  bool isSwizzled() const { return encoding.getSwizzlingByteWidth() != 0; }

  /// The distance from one span to the next along the fastest dimension. It is not used if an instruction's depth is
  /// within one span. Without a swizzle, and if K is the slower dimension, the two offsets are exchanged.
  int64_t leadingOffset() const {
    if (isSwizzled())
      return isDepthMajor ? 0 : pieceBytes();
    return isDepthMajor ? pieceBytes() : 8 * span;
  }
  /// The distance from 8 rows of spans to the next 8 rows.
  int64_t strideOffset() const { return isSwizzled() || isDepthMajor ? 8 * span : pieceBytes(); }

  uint64_t high() const {
    unsigned width = encoding.getSwizzlingByteWidth();
    auto stride = uint64_t(strideOffset() >> 4);
    if (unit == Unit::WarpGroup) {
      uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
      return stride | mode << 30;
    }
    constexpr uint64_t version = 1 << 14;
    uint64_t mode = width == 128 ? 2 : width == 64 ? 4 : width == 32 ? 6 : 0;
    return stride | version | mode << 29;
  }

  Emitter &emitter;
  Unit unit;
  ttg::NvmmaSharedEncodingAttr encoding;
  int64_t outerExtent, depthExtent; ///< of the whole buffer, which may be larger than the part that is read
  int64_t bytes, span;
  bool isDepthMajor;
  mlir::Value low;
};

} // namespace triton::nvidia
