// How many registers of a thread hold the tensors of a program.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// Registers of a thread that hold `value`, which is computed; narrow elements share registers.
unsigned countRegisters(mlir::Value value);

/// The same if no two elements share one, as those that single accesses bring.
unsigned countUnsharedRegisters(mlir::Value value);

/// Of them, those that hold data as the functions below count it: 0 for addresses, masks and constants.
unsigned countRegistersOfData(mlir::Value value);

/// The most registers of a thread that hold data at any operation of `block`, if operations run in their order: floats,
/// and what loads give. Addresses, masks and constants are left out, because they are computed where they are used.
/// Regions of operations count by their results.
unsigned countLiveRegisters(mlir::Block &block);

/// Calls `handle` with each operation of `block`, last first, and the registers of a thread that hold data after it.
void forEachLiveCount(mlir::Block &block, llvm::function_ref<void(mlir::Operation *, unsigned)> handle);

} // namespace triton::ttg
