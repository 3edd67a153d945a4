#include "backends/cpu/emitters/Conversions.h"
#include "backends/cpu/emitters/DotLoops.h"

#include "llvm/Support/MathExtras.h"

namespace triton::cpu {
namespace {

constexpr int64_t scratchAlignment = 64;

bool isBFloat16OrByteFloat(mlir::Type type) {
  return type.isBF16() || (llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() == 8);
}

bool hasTiles(const DotShape &shape, const TargetDescription &target) {
  if (shape.aType.isInteger(8) && shape.bType.isInteger(8))
    return target.hasTileInt8 && shape.k % 64 == 0;
  if (shape.aType.isF16() && shape.bType.isF16())
    return target.hasTileFloat16 && shape.k % 32 == 0;
  return target.hasTileBFloat16 && shape.k % 32 == 0 && isBFloat16OrByteFloat(shape.aType) &&
         isBFloat16OrByteFloat(shape.bType);
}

/// Pairs of rows and four columns are what the loop works on.
bool hasBlocks(const DotShape &shape, const TargetDescription &target) {
  if (shape.m < 2 || shape.n < 4)
    return false;
  if (shape.aType.isInteger(8) && shape.bType.isInteger(8))
    return target.hasBlockInt8 && shape.k % 8 == 0;
  return target.hasBlockBFloat16 && shape.k % 4 == 0 && isBFloat16OrByteFloat(shape.aType) &&
         isBFloat16OrByteFloat(shape.bType);
}

/// The type that outer products multiply; null if they do not compute these products.
mlir::Type outerProductType(const DotShape &shape) {
  mlir::MLIRContext *context = shape.aType.getContext();
  if (shape.aType.isInteger(8) && shape.bType.isInteger(8))
    return shape.aType;
  if (shape.aType.isF16() && shape.bType.isF16())
    return shape.aType;
  if (isBFloat16OrByteFloat(shape.aType) && isBFloat16OrByteFloat(shape.bType))
    return mlir::BFloat16Type::get(context);
  return llvm::isa<mlir::FloatType>(shape.accumulatorType) ? shape.accumulatorType : mlir::Type();
}

/// Whether the processor has outer products for these types, and switching the mode and moving C to the tiles and back
/// is little beside the product. Less than 16 rows or columns would leave a part of each tile empty where vectors have
/// 512 bits.
bool hasOuterProducts(const DotShape &shape, const TargetDescription &target, bool fuse) {
  constexpr int64_t smallestExtent = 16, fewestProducts = 16 * 16 * 64;
  mlir::Type type = outerProductType(shape);
  if (!target.hasOuterProducts || !type || shape.m < smallestExtent || shape.n < smallestExtent ||
      shape.m * shape.n * shape.k < fewestProducts)
    return false;
  unsigned accumulatorBits = shape.accumulatorType.getIntOrFloatBitWidth();
  if (type == shape.accumulatorType && !fuse)
    return false;
  if (accumulatorBits == 64 && !(type.isF64() && target.hasFloat64OuterProducts))
    return false;
  return shape.k % (accumulatorBits / type.getIntOrFloatBitWidth()) == 0;
}

DotMethod chooseMethod(const DotShape &shape, const TargetDescription &target, bool fuse) {
  if (hasOuterProducts(shape, target, fuse))
    return DotMethod::OuterProducts;
  if (shape.m % tileExtent == 0 && shape.n % tileExtent == 0 && hasTiles(shape, target))
    return DotMethod::Tiles;
  if (hasBlocks(shape, target))
    return DotMethod::Blocks;
  // The instructions exist only for four lanes and more.
  if (shape.n < 4)
    return DotMethod::MultiplyAdd;
  // fp8 values are exact in bf16.
  if (target.hasBFloat16Dot && shape.k % 2 == 0 && isBFloat16OrByteFloat(shape.aType) &&
      isBFloat16OrByteFloat(shape.bType))
    return DotMethod::BFloat16Pairs;
  if (target.hasInt8Dot && shape.k % 4 == 0 && shape.aType.isInteger(8) && shape.bType.isInteger(8))
    return DotMethod::Int8Quads;
  return DotMethod::MultiplyAdd;
}

/// The registers contain the accumulators, one row of B's vectors and a broadcast element of A. More accumulators than
/// are needed to hide the latency of multiply-add do not pay, and 4 vectors in a row need the fewest loads. For int8,
/// where K is short (each step takes four of it), small tiles overlap better with their neighbours: on Zen 4, 4 x 2 is
/// 1.12 times as fast as 4 x 4.
///
/// Of the eight tiles of AMX, four accumulate and the others are operands. Two by two loads the fewest. SME has four
/// tiles, of 16 rows if its vectors have 512 bits.
void chooseTile(DotPlan &plan, const TargetDescription &target) {
  if (plan.method == DotMethod::Tiles || plan.method == DotMethod::OuterProducts) {
    int64_t rows = plan.shape.m / tileExtent, columns = plan.shape.n / tileExtent;
    plan.tileRows = std::min<int64_t>(rows, columns == 1 ? 4 : 2);
    plan.tileVectors = std::min<int64_t>(columns, rows == 1 ? 4 : 2);
    return;
  }
  // Four pairs of rows by four pairs of columns: as many operands from A as from B.
  if (plan.method == DotMethod::Blocks) {
    plan.tileRows = std::min<int64_t>(8, plan.shape.m);
    plan.tileVectors = std::min<int64_t>(2, plan.shape.n / plan.lanes);
    return;
  }
  bool isSmall = target.vectorRegisters < 32 || plan.biasesA;
  int64_t accumulators = isSmall ? 8 : 16, widest = isSmall ? 2 : 4;
  // Few rows: the same number of accumulators, to hide the latency.
  widest = std::max(widest, accumulators / plan.shape.m);
  plan.tileVectors = std::min<int64_t>(widest, plan.shape.n / plan.lanes);
  plan.tileRows = std::min<int64_t>(accumulators / plan.tileVectors, plan.shape.m);
}

/// Whether the inner loop sums vectors of `DotPlan::lanes`, and not blocks or tiles.
bool sumsVectors(const DotPlan &plan) {
  return plan.method != DotMethod::Tiles && plan.method != DotMethod::Blocks && plan.method != DotMethod::OuterProducts;
}

/// What the inner loop reads of B lies together: rows whose distance is a large power of two would share few sets of
/// the first cache, and push each other out of it.
int64_t choosePanel(const DotPlan &plan) {
  if (plan.method == DotMethod::Tiles)
    return tileExtent;
  // How many columns outer products read at once is not known.
  return sumsVectors(plan) ? plan.tileVectors * plan.lanes : plan.shape.n;
}

/// All rows of A are multiplied with a part of a panel that fits into the first cache beside them. With few rows of A,
/// B is read once and the sums stay in registers.
int64_t choosePanelRows(const DotPlan &plan) {
  bool isReadAgain = plan.shape.m > plan.tileRows;
  if (!sumsVectors(plan) || !isReadAgain)
    return plan.shape.k;
  int64_t bits = multiplicandType(plan, plan.shape.aType.getContext()).getIntOrFloatBitWidth();
  int64_t rowBytes = plan.panelColumns * bits / 8, available = plan.target->firstCacheBytes * 2 / 3;
  return std::clamp<int64_t>(llvm::bit_floor(uint64_t(available / rowBytes)), groupSize(plan), plan.shape.k);
}

} // namespace

int64_t groupSize(const DotPlan &plan) {
  if (plan.method == DotMethod::MultiplyAdd)
    return 1;
  int64_t bits = plan.shape.accumulatorType.getIntOrFloatBitWidth() * (plan.method == DotMethod::Blocks ? 2 : 1);
  return bits / multiplicandType(plan, plan.shape.aType.getContext()).getIntOrFloatBitWidth();
}

mlir::Type multiplicandType(const DotPlan &plan, mlir::MLIRContext *context) {
  switch (plan.method) {
  case DotMethod::MultiplyAdd:
    return plan.shape.accumulatorType;
  case DotMethod::BFloat16Pairs:
    return mlir::BFloat16Type::get(context);
  case DotMethod::Int8Quads:
    return mlir::IntegerType::get(context, 8);
  case DotMethod::Blocks:
  case DotMethod::Tiles:
    if (plan.shape.aType.isInteger(8) || plan.shape.aType.isF16())
      return plan.shape.aType;
    return mlir::BFloat16Type::get(context);
  case DotMethod::OuterProducts:
    return outerProductType(plan.shape);
  }
  llvm_unreachable("every method is handled above");
}

DotPlan planDot(const DotShape &shape, const TargetDescription &target, bool fuse) {
  DotPlan plan{};
  plan.shape = shape;
  plan.target = &target;
  plan.method = chooseMethod(shape, target, fuse);
  unsigned accumulatorBits = shape.accumulatorType.getIntOrFloatBitWidth();
  bool isWide = plan.method == DotMethod::MultiplyAdd;
  plan.lanes = std::min<int64_t>(isWide ? target.lanes(accumulatorBits) : target.dotLanes(accumulatorBits), shape.n);
  plan.biasesA = plan.method == DotMethod::Int8Quads && !target.isAArch64();
  chooseTile(plan, target);
  plan.panelColumns = choosePanel(plan);
  plan.panelRows = choosePanelRows(plan);
  mlir::Type type = multiplicandType(plan, shape.aType.getContext());
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  plan.packsA = plan.biasesA || plan.method == DotMethod::Blocks || shape.aType != type ||
                (plan.method == DotMethod::OuterProducts && groupSize(plan) > 1);
  plan.packsB = groupSize(plan) > 1 || shape.bType != type;
  // Whether the strides of a matrix require packing is known only when it is emitted, so memory for the worst case is
  // reserved.
  plan.packedABytes = llvm::alignTo(shape.m * shape.k * bytes, scratchAlignment);
  plan.packedBBytes = llvm::alignTo(shape.k * shape.n * bytes, scratchAlignment);
  plan.columnSumBytes = plan.biasesA ? llvm::alignTo(shape.n * 4, scratchAlignment) : 0;
  plan.scratchBytes = plan.packedABytes + plan.packedBBytes + plan.columnSumBytes;
  return plan;
}

} // namespace triton::cpu
