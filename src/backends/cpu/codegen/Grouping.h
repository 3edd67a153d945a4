// Which roots share a loop nest, in which order memory is accessed, and what must be kept in buffers.
#pragma once

#include "backends/cpu/codegen/Buffers.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

namespace triton::cpu {

/// A piece of work that needs a loop nest over its iteration space.
struct Root {
  enum class Kind { Store, Reduce, Scan, Materialize };
  Kind kind;
  mlir::Operation *op = nullptr; ///< of all but Materialize
  mlir::Value value;             ///< of Materialize, the tensor
  std::optional<Buffer> target;  ///< of Materialize: where to copy it; a new buffer that becomes its own without
  bool rowMajor = false;         ///< of Materialize: a new buffer must be row-major

  static Root of(Kind kind, mlir::Operation *op) { return {kind, op, {}, {}, false}; }
  static Root copyOf(mlir::Value tensor, std::optional<Buffer> target = {}, bool rowMajor = false) {
    return {Kind::Materialize, nullptr, tensor, std::move(target), rowMajor};
  }
};

/// What is needed to evaluate a root's operands.
struct Closure {
  struct Use {
    mlir::Value value;
    bool isIdentity; ///< every access is at the coordinates of the iteration space
    bool isRepeated; ///< some access is broadcast, so that it is evaluated many times at the same coordinates
  };
  llvm::MapVector<mlir::Value, Use> uses; ///< of lazy and materialized tensors, users before operands
  llvm::SmallVector<mlir::Value> scalars; ///< scalars that are splatted
};

struct Group {
  llvm::SmallVector<Root> roots;
  llvm::SmallVector<Closure> closures;
  llvm::SmallVector<int64_t> shape;
  int64_t reduceAxis = -1; ///< or the scanned one

  bool empty() const { return roots.empty(); }
};

/// Adds the root to the open group, after it has ended this group if both cannot share loops.
void addRoot(Lowering &lowering, Root root);
/// Ends the open group: emits its loops.
void flush(Lowering &lowering);

/// Stores `value` in memory now, unless it is already there.
const Buffer &materialize(Lowering &lowering, mlir::Value value, bool rowMajor = false);
void materializeInto(Lowering &lowering, mlir::Value value, const Buffer &target);
/// Materializes tensors of this block or outer ones that the regions of `op` use, unless they are cheap.
void prepareForRegions(Lowering &lowering, mlir::Operation *op);
/// Called before the effect of an operation that may write memory: saves the loads whose values this operation or later
/// ones need.
void saveLoadsBefore(Lowering &lowering, mlir::Operation *writer);

llvm::SmallVector<int64_t> iterationShape(const Root &root);
Closure closureOf(Lowering &lowering, const Root &root);
/// The closure of a root. Makes what the root needs in memory available first.
Closure prepareClosure(Lowering &lowering, const Root &root);
bool isNeededOutside(Lowering &lowering, mlir::Value value, const Group &group);

} // namespace triton::cpu
