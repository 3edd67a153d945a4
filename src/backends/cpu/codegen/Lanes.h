// The lanes of one vector of a tensor, in the cheapest form that describes them, and the arithmetic on such forms. This
// file knows nothing about tensors.
#pragma once

#include "backends/cpu/codegen/Codegen.h"
#include "backends/cpu/emitters/Conversions.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace triton::cpu {

class TileAnalysis;

/// A description of W neighbouring elements along the lane dimension.
struct Lanes {
  enum class Form {
    Uniform, ///< `value`, a scalar, in every lane
    Affine,  ///< `value` + lane * `step`: integers, or pointers with the step in elements
    Prefix,  ///< booleans: lane < `value`, an i64 that may lie outside [0, W]
    Indexed, ///< pointers: `value`, a scalar, + `offsets`, a vector of integers counting elements
    Vector,  ///< `value`, a vector
  };
  Form form = Form::Uniform;
  mlir::Value value;
  int64_t step = 0;
  mlir::Value offsets;
  bool startsSet = false; ///< of a prefix: its first lane is known to be in it

  static Lanes uniform(mlir::Value scalar) { return {Form::Uniform, scalar, 0, {}}; }
  static Lanes affine(mlir::Value first, int64_t step) {
    return {step == 0 ? Form::Uniform : Form::Affine, first, step, {}};
  }
  static Lanes prefix(mlir::Value count) { return {Form::Prefix, count, 0, {}}; }
  static Lanes indexed(mlir::Value base, mlir::Value offsets) { return {Form::Indexed, base, 0, offsets}; }
  static Lanes vector(mlir::Value vector) { return {Form::Vector, vector, 0, {}}; }

  bool isUniform() const { return form == Form::Uniform; }
  bool isAffine() const { return form == Form::Affine; }
  bool isPrefix() const { return form == Form::Prefix; }
  bool isVector() const { return form == Form::Vector; }
};

/// Whether `lanes` are booleans known to be all `value`.
bool isKnown(const Lanes &lanes, bool value);

/// The type in which an element of a tensor is passed: pointers as !llvm.ptr, floats of 8 and 16 bits as integers
/// (Conversions.h says why), others unchanged.
mlir::Type laneType(mlir::Type elementType);

/// The type of an element in memory: as `laneType`, but booleans as i8.
mlir::Type memoryType(mlir::Type elementType);
int64_t memoryBytes(mlir::Type elementType);

/// The type to which elements of a type point; null when they are not pointers.
mlir::Type pointeeOf(mlir::Type elementType);

/// Emits operations on lanes at the builder's insertion point.
class LaneEmitter {
public:
  LaneEmitter(mlir::OpBuilder &builder, const CpuCodegenOptions &options, TileAnalysis &analysis)
      : b(builder), options(options), analysis(analysis) {}

  mlir::Value constantInt(mlir::Location loc, mlir::Type type, int64_t value);
  mlir::Value constantI64(mlir::Location loc, int64_t value) { return constantInt(loc, b.getI64Type(), value); }
  /// Integer or float 0, a null pointer, or a vector of these.
  mlir::Value zero(mlir::Location loc, mlir::Type type);
  /// `scalar` in each of `lanes` lanes.
  mlir::Value splat(mlir::Location loc, mlir::Value scalar, unsigned lanes);
  /// lane * step as a vector of integers.
  mlir::Value iota(mlir::Location loc, mlir::Type type, unsigned lanes, int64_t step = 1);
  /// `base` moved by `offset` elements (constants are folded), or by a vector of offsets.
  mlir::Value offsetPointer(mlir::Location loc, mlir::Value base, mlir::Value offset, mlir::Type pointee);
  mlir::Value offsetPointer(mlir::Location loc, mlir::Value base, int64_t offset, mlir::Type pointee);
  /// A coordinate inside a tile as an integer of `type`. Addresses and bounds that use it use the original i64, so that
  /// a loop's addresses are a fixed base plus its counter, which is cheap to compile and to run.
  mlir::Value coordinate(mlir::Location loc, mlir::Value wide, mlir::Type type);

  /// Unsigned integers, a scalar or a vector, in a type of at least `bits` bits.
  mlir::Value zeroExtend(mlir::Location loc, mlir::Value value, unsigned bits);
  /// The lanes as one vector. `pointee` is needed for pointers.
  mlir::Value toVector(mlir::Location loc, const Lanes &lanes, unsigned count, mlir::Type pointee = {});
  /// Lane 0.
  mlir::Value firstLane(mlir::Location loc, const Lanes &lanes, mlir::Type pointee = {});
  /// Whether some lane of the booleans is set, as a scalar.
  mlir::Value anyLane(mlir::Location loc, const Lanes &mask);

  /// Whether `apply` has a lowering for the operation.
  static bool canApply(mlir::Operation *op);
  /// The result of an elementwise operation (arith, math or tt) on lanes.
  Lanes apply(mlir::Operation *op, llvm::ArrayRef<Lanes> operands, unsigned count);

  /// The results of a region's operations (for example a reduction's combination) for the given arguments. These are
  /// the operands of the terminator.
  /// `outer` gives what values from outside of the region have become.
  llvm::SmallVector<Lanes> applyRegion(mlir::Region &region, llvm::ArrayRef<Lanes> arguments, unsigned count,
                                       llvm::function_ref<mlir::Value(mlir::Value)> outer);
  /// Whether the region is straight-line code that `apply` supports, as `applyRegion` requires.
  static bool canApplyRegion(mlir::Region &region);

  /// `count` elements of type `elementType` that are read through `pointer` where `mask` is set. The others are
  /// `other()` (null: any value).
  Lanes load(mlir::Location loc, const Lanes &pointer, const Lanes &mask, llvm::function_ref<Lanes()> other,
             mlir::Type elementType, unsigned count, bool isVolatile = false);
  void store(mlir::Location loc, const Lanes &pointer, const Lanes &mask, const Lanes &value, mlir::Type elementType,
             unsigned count);

  /// For each lane, `a` if `mask` is set, else `b`.
  Lanes select(mlir::Location loc, const Lanes &mask, const Lanes &a, const Lanes &b, unsigned count,
               mlir::Type pointee = {});
  Lanes maskAnd(mlir::Location loc, const Lanes &a, const Lanes &b, unsigned count);

  /// A float of less than 32 bits (scalar or vector) as f32, and the inverse.
  mlir::Value widen(mlir::Location loc, mlir::Value value, mlir::Type elementType);
  mlir::Value narrow(mlir::Location loc, mlir::Value value, mlir::Type elementType);

  /// Where it is true, stores of whole vectors, which are aligned then, pass by the cache. Null: nowhere.
  mlir::Value streams;
  /// An address that may always be read and written, for lanes that must not access memory. It has room for one vector.
  mlir::Value safeAddress;

  mlir::OpBuilder &b;
  const CpuCodegenOptions &options;

private:
  /// `value` as a coordinate, an i64, plus a part that does not depend on it (null: none).
  struct SplitIndex {
    mlir::Value invariant, coordinate;
  };
  std::optional<SplitIndex> splitCoordinate(mlir::Value value) const;

  std::optional<Lanes> applyStructurally(mlir::Operation *op, llvm::ArrayRef<Lanes> operands, unsigned count);
  mlir::Value addSteps(mlir::Location loc, mlir::Value offsets, int64_t step, unsigned count);
  Lanes applyAddPtr(mlir::Operation *op, const Lanes &pointer, const Lanes &offset, unsigned count);
  Lanes applyGeneric(mlir::Operation *op, llvm::ArrayRef<Lanes> operands, unsigned count);
  Lanes applyDialect(mlir::Operation *op, llvm::ArrayRef<Lanes> operands, unsigned count);
  std::optional<Lanes> comparePrefix(mlir::Operation *op, const Lanes &lhs, const Lanes &rhs);
  mlir::Value cloneScalarOp(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, mlir::Type resultType);
  void storeStreaming(mlir::Location loc, mlir::Value stored, mlir::Value address, unsigned alignment, unsigned count);
  mlir::Value toMemory(mlir::Location loc, mlir::Value value, mlir::Type elementType);
  mlir::Value fromMemory(mlir::Location loc, mlir::Value value, mlir::Type elementType);
  mlir::Value maskVector(mlir::Location loc, const Lanes &mask, unsigned count);
  mlir::Value guardPointer(mlir::Location loc, mlir::Value condition, mlir::Value pointer);
  /// The address of consecutive lanes under a mask that is a vector.
  mlir::Value maskedAddress(mlir::Location loc, const Lanes &mask, mlir::Value address);

  TileAnalysis &analysis;                                   ///< says which indices may wrap
  llvm::DenseMap<mlir::Value, mlir::Value> wideCoordinates; ///< narrow coordinates and the i64 they come from
};

} // namespace triton::cpu
