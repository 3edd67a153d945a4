// Loads and stores of a few consecutive elements by one thread.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// Bytes of an element in memory, where a bit takes a byte.
unsigned memoryBytes(mlir::Type element);
/// The type in which an element lies in memory: i8 for i1, i64 for pointers.
mlir::Type memoryType(mlir::Type element);
mlir::Value toMemory(Emitter &emitter, mlir::Value element);
mlir::Value fromMemory(Emitter &emitter, mlir::Value value, mlir::Type element);

/// What a kernel says about caches.
struct AccessHints {
  tt::CacheModifier cache = tt::CacheModifier::None;
  tt::EvictionPolicy evict = tt::EvictionPolicy::Normal;
  bool isVolatile = false;
};

/// `count` consecutive elements of type `element`, aligned as a whole. Where `mask` (null: everywhere) is false: those
/// of `otherwise`, or anything when it is empty.
Registers emitLoad(Emitter &emitter, mlir::Value pointer, mlir::Type element, unsigned count, mlir::Value mask,
                   mlir::ValueRange otherwise, AccessHints hints = {});
void emitStore(Emitter &emitter, mlir::Value pointer, mlir::ValueRange elements, mlir::Value mask,
               AccessHints hints = {});

} // namespace triton::gpu
