// Elements of lazy tensors.
#pragma once

#include "backends/cpu/codegen/LoopNest.h"

#include "ir/Dialect.h"

namespace triton::cpu {

/// Emits the lanes of a tensor at one index; of a scalar, its value.
Lanes evaluate(Lowering &lowering, mlir::Value value, const TileIndex &index);
void emitStore(Lowering &lowering, tt::StoreOp op, const TileIndex &index);

Lanes readBuffer(Lowering &lowering, mlir::Location loc, const Buffer &buffer, const TileIndex &index);
void writeBuffer(Lowering &lowering, mlir::Location loc, const Buffer &buffer, const TileIndex &index,
                 const Lanes &value);
Lanes bufferPointer(Lowering &lowering, mlir::Location loc, const Buffer &buffer, const TileIndex &index);

/// The type to which the elements of a tensor, or a scalar, point; null when they are not pointers.
mlir::Type pointeeOf(mlir::Value value);
mlir::Value coordinateValue(Lowering &lowering, mlir::Location loc, const Coordinate &coordinate, mlir::Type type);
/// The index of the operand of a shape-changing operation.
TileIndex operandIndex(mlir::Operation *op, const TileIndex &index);

} // namespace triton::cpu
