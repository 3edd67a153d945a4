#include "gpu/analysis/ProductCost.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace triton::analysis {

std::string nameInstruction(const gpu::MatrixUnit &unit, int64_t columns) {
  return llvm::formatv("{0} m{1}n{2}k{3}", unit.instruction, unit.rows, columns, unit.depth);
}

/// The clocks of `plan`. Warps that find no tile of their own left compute copies of others'.
static void measure(ProductPlan &plan, const Product &product, const gpu::MatrixUnit &unit,
                    const gpu::Machine &machine) {
  double rowGroups = double(plan.rowWarps) / unit.groupWarps, groups = rowGroups * plan.columnWarps;
  double rows = std::max(double(product.rows) / rowGroups, double(unit.rows)),
         columns = std::max(double(product.columns) / plan.columnWarps, double(unit.columns));
  double depth = double(product.batches * product.depth);
  plan.matrixClocks = 2 * groups * rows * columns * depth / unit.flops;

  // A unit that reads buffers reads both operands anew for each instruction. Others are given what the warps hold.
  double leftRead = rows, rightRead = columns;
  if (unit.readsShared) {
    bool isInRegisters = product.isLeftComputed || (product.isLeftAcross && unit.takesLeftFromThreads);
    leftRead = isInRegisters ? rows : rows * columns / double(plan.columns);
    rightRead = columns * rows / double(unit.rows);
  }
  if (product.isLeftComputed && product.isChained)
    leftRead = 0; // It is where it is needed, or the exchange brings it there.
  double elementBytes = unit.operand.getIntOrFloatBitWidth() / 8.0;
  plan.sharedClocks = groups * (leftRead + rightRead) * depth * elementBytes / machine.sharedRowBytes();

  // A left operand that is the result of a product is where it is needed if threads hold as many neighbours of it.
  if (product.isLeftComputed && product.isChained && unit.resultWidth != 0 && unit.resultWidth != unit.kWidth)
    plan.exchangeClocks = machine.exchangeClocks + 2 * groups * rows * depth * elementBytes / machine.sharedRowBytes();

  // Sums of rows meet in a tree, and each warp that shares a row needs all of it for the next product.
  if (product.isChained && plan.columnWarps > 1) {
    double moved = (1.0 + plan.columnWarps) * double(product.batches * product.rows * product.columns) * elementBytes;
    plan.exchangeClocks +=
        machine.exchangeClocks * double(llvm::Log2_32(plan.columnWarps)) + moved / machine.sharedRowBytes();
  }
}

/// The ways in which `warps` warps compute each product of a batch.
static void planMatrix(llvm::SmallVectorImpl<ProductPlan> &plans, const Product &product, const gpu::MatrixUnit &unit,
                       unsigned warps, unsigned batchWarps, const gpu::Machine &machine) {
  unsigned groups = std::max(1u, warps / unit.groupWarps);
  auto most = [groups](int64_t extent, int64_t ofUnit) {
    return unsigned(std::clamp<int64_t>(extent / ofUnit, 1, groups));
  };
  unsigned rowTiles = most(product.rows, unit.rows), columnTiles = most(product.columns, unit.columns);
  // Where there are more groups than tiles, some hold copies of rows.
  for (unsigned columnWarps = columnTiles; columnWarps >= 1; columnWarps /= 2) {
    unsigned rowGroups = groups / columnWarps;
    if (rowGroups > rowTiles && columnWarps < columnTiles)
      continue;
    int64_t widest = std::clamp(product.columns / columnWarps, unit.columns, std::max(unit.columns, unit.mostColumns));
    for (int64_t columns = widest; columns >= unit.columns; columns /= 2) {
      ProductPlan &plan =
          plans.emplace_back(ProductPlan{batchWarps, rowGroups * unit.groupWarps, columnWarps, columns});
      measure(plan, product, unit, machine);
    }
  }
}

llvm::SmallVector<ProductPlan> planProduct(const Product &product, const gpu::MatrixUnit &unit, unsigned warps,
                                           const gpu::Machine &machine) {
  llvm::SmallVector<ProductPlan> plans;
  for (unsigned batchWarps = 1;
       batchWarps * unit.groupWarps <= std::max(warps, unit.groupWarps) && int64_t(batchWarps) <= product.batches;
       batchWarps *= 2)
    planMatrix(plans, product, unit, warps / batchWarps, batchWarps, machine);
  llvm::sort(plans, [](const ProductPlan &left, const ProductPlan &right) {
    auto key = [](const ProductPlan &plan) {
      return std::tuple(plan.clocks(), plan.sharedClocks, plan.rowWarps, -plan.columns);
    };
    return key(left) < key(right);
  });
  return plans;
}

} // namespace triton::analysis
