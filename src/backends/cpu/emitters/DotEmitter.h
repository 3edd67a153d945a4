// Register-blocked matrix multiplication of tiles that lie in memory: C += A x B.
//
// Use: describe the shape, plan once, reserve `DotPlan::scratchBytes` (64-byte aligned, in the entry block or the
// arena), then emit. The accumulator is updated in place, so that a loop-carried accumulator needs no copy; fill it
// with zeros or with the dot's third operand before. Batches: emit inside a loop over offset base pointers.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// C[m][n] += sum over k of A[m][k] * B[k][n]; extents are powers of two >= 1.
///
/// | operand types                  | accumulator |
/// | f32, f16, bf16, fp8 (mixed fp8)| f32         |
/// | f64                            | f64         |
/// | i8 (signed), i16, i32          | i32         |
struct DotShape {
  int64_t m, n, k;
  mlir::Type aType, bType; ///< element types as in TTIR (fp8 as MLIR's float types, stored as bytes)
  mlir::Type accumulatorType;
};

/// How the inner loop multiplies.
enum class DotMethod {
  MultiplyAdd,   ///< vectors of the accumulator's type; narrower operands are converted while packing
  BFloat16Pairs, ///< dpbf16ps, bfdot: flushes subnormals, and rounds only after each pair of products
  Int8Quads,     ///< vpdpbusd on A + 128, with 128 x the column sums of B subtracted, or sdot: exact
  Blocks,        ///< bfmmla, smmla: vectors hold 2 x 2 elements; bf16 as in pairs
  Tiles,         ///< AMX: tiles of 16 rows of 64 bytes; bf16 and f16 flush subnormals and round after each pair
  OuterProducts, ///< SME: vectors of rows times vectors of columns, by groups; bf16 as in pairs
};

struct DotPlan {
  DotShape shape;
  DotMethod method;
  unsigned lanes;                ///< of the accumulator's vectors
  int64_t tileRows, tileVectors; ///< of C held in registers; for Tiles and OuterProducts, both count tiles
  bool biasesA;                  ///< A + 128 is multiplied, because the instruction takes an unsigned operand
  int64_t panelColumns;          ///< B is packed in panels of that many columns, one after the other
  int64_t panelRows;             ///< of a panel that all rows of A are multiplied with, before the next ones are
  bool packsA, packsB;
  int64_t packedABytes, packedBBytes, columnSumBytes;
  int64_t scratchBytes; ///< of all packed operands; 0: pass a null Value as scratch
  const TargetDescription *target;
};

/// How many elements that are neighbours along K one lane of the inner loop multiplies: 1, 2 or 4. For Blocks, how many
/// the instruction multiplies for each element of its result: 4 or 8.
int64_t groupSize(const DotPlan &plan);

/// `fuse` = enable_fp_fusion: false where products must be rounded before they are added.
DotPlan planDot(const DotShape &shape, const TargetDescription &target, bool fuse = true);

/// A matrix in memory. Strides count elements. A and B may have any strides (a transposed operand has rowStride 1 and
/// columnStride = leading dimension); the accumulator needs columnStride 1.
struct DotMatrix {
  mlir::Value base; ///< !llvm.ptr to the first element, aligned to the element
  int64_t rowStride = 0;
  int64_t columnStride = 1;
};

/// How many columns of B `emitPackedColumns` takes best.
int64_t packedColumns(const DotPlan &plan);
/// For a B that is computed rather than in memory. Emits code that packs that many columns, or `DotPlan::lanes`, from
/// `column` on, of the rows group * k, group * k + 1, ..., given as vectors of the type that is stored. There are
/// groupSize(plan) rows. emitDot then takes a B without base, whose `buffer` is that behind the packed A of the scratch
/// area, or `packedB`.
void emitPackedColumns(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::ValueRange rows,
                       mlir::Value k, mlir::Value column, mlir::Value buffer);

/// A block of A in memory, as wide as A, that the next product will probably read.
struct BlockAhead {
  mlir::Value address = nullptr;  ///< null: there is none
  mlir::Value rowBytes = nullptr; ///< an i64, from one row to the next
};

/// Where packed operands lie.
struct DotMemory {
  mlir::Value scratch;           ///< `DotPlan::scratchBytes`; null: none
  mlir::Value packedB = nullptr; ///< a B that lies packed elsewhere
  BlockAhead ahead = {};         ///< is prefetched
};

/// Emits packing and multiplication at the builder's insertion point. `fuse` is that of the plan.
void emitDot(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, DotMatrix a, DotMatrix b,
             DotMatrix accumulator, DotMemory memory, bool fuse = true);

/// Emits what makes a thread's tiles usable for `Tiles`, and what gives them back: around all dots of a kernel, since
/// it takes hundreds of cycles. All dots use tiles of the same form. Code that the kernel calls may change the form:
/// load it again afterwards.
mlir::Value emitTileForm(mlir::OpBuilder &builder, mlir::Location loc); ///< in the entry block: the form in memory
void emitLoadTileForm(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value form);
void emitReleaseTiles(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace triton::cpu
