// Loads and stores of a few consecutive elements by one thread.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// The bytes of an element in memory; a bit takes a byte.
unsigned memoryBytes(mlir::Type element);
/// The type of an element in memory: i8 for i1, i64 for pointers.
mlir::Type memoryType(mlir::Type element);
mlir::Value toMemory(Emitter &emitter, mlir::Value element);
mlir::Value fromMemory(Emitter &emitter, mlir::Value value, mlir::Type element);

/// A kernel's hints about caches.
struct AccessHints {
  tt::CacheModifier cache = tt::CacheModifier::None;
  tt::EvictionPolicy evict = tt::EvictionPolicy::Normal;
  bool isVolatile = false;
};

/// Loads `count` consecutive elements of type `element`, which are aligned as a whole. If `mask` (null: true) is false,
/// the result is `otherwise`, or undefined if that is empty.
Registers emitLoad(Emitter &emitter, mlir::Value pointer, mlir::Type element, unsigned count, mlir::Value mask,
                   mlir::ValueRange otherwise, AccessHints hints = {});
void emitStore(Emitter &emitter, mlir::Value pointer, mlir::ValueRange elements, mlir::Value mask,
               AccessHints hints = {});

} // namespace triton::gpu
