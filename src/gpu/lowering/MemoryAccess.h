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
  bool prefersBranch = false; ///< around a masked access, rather than a predicate
};

/// Where an access goes: a pointer. Where the target uses buffers, perhaps the same as a pointer that all threads share
/// plus bytes, which are at least 0 and less than 2^31 where the mask is true.
struct AccessPlace {
  AccessPlace(mlir::Value pointer) : pointer(pointer) {}

  mlir::Value pointer;
  mlir::Value base;      ///< null: there is the pointer alone
  mlir::Value offset;    ///< an i32, to which `moreBytes` are added
  int64_t moreBytes = 0; ///< at least 0
};

/// The places of all registers of a tensor of pointers, or of one pointer.
class AccessPlaces {
public:
  /// For accesses under `mask`, which may be null.
  AccessPlaces(Emitter &emitter, mlir::Value pointers, mlir::Value mask);
  std::size_t size() const { return registers.size(); }
  AccessPlace operator[](unsigned index) const { return registers[index]; }

private:
  void addBuffer(Emitter &emitter, mlir::Value pointers, mlir::Value mask);

  llvm::SmallVector<AccessPlace> registers;
};

/// Loads `count` consecutive elements of type `element`, which are aligned as a whole. If `mask` (null: true) is false,
/// the result is `otherwise`, or undefined if that is empty.
Registers emitLoad(Emitter &emitter, AccessPlace place, mlir::Type element, unsigned count, mlir::Value mask,
                   mlir::ValueRange otherwise, AccessHints hints = {});
void emitStore(Emitter &emitter, AccessPlace place, mlir::ValueRange elements, mlir::Value mask,
               AccessHints hints = {});

} // namespace triton::gpu
