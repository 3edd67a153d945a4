// Which instruction and which split over warps the cost model of products prefers, and what it counts.
#include "gpu/analysis/ProductCost.h"

#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

namespace triton::analysis {
namespace {

class ProductCost : public ::testing::Test {
protected:
  ProductCost() {
    machine.banks = 32;
    machine.bankBytes = 4;
    machine.exchangeClocks = 90;
  }

  /// A unit of single warps, which is given its operands in registers.
  gpu::MatrixUnit warpUnit() {
    gpu::MatrixUnit unit{16, 8, 16, mlir::Builder(&context).getF16Type(), 2};
    unit.instruction = "mma.sync";
    unit.flops = 2048;
    return unit;
  }

  /// A unit of four warps, which reads buffers.
  gpu::MatrixUnit groupUnit() {
    gpu::MatrixUnit unit{64, 8, 16, mlir::Builder(&context).getF16Type(), 2};
    unit.mostColumns = 256;
    unit.groupWarps = 4;
    unit.readsShared = true;
    unit.instruction = "wgmma";
    unit.flops = 4096;
    return unit;
  }

  /// Rows of warps, columns of warps, columns of an instruction.
  using Choice = std::tuple<unsigned, unsigned, int64_t>;
  Choice choose(const Product &product, const gpu::MatrixUnit &unit, unsigned warps) {
    ProductPlan plan = planProduct(product, unit, warps, machine).front();
    return {plan.rowWarps, plan.columnWarps, plan.columns};
  }

  mlir::MLIRContext context;
  gpu::Machine machine;
};

TEST_F(ProductCost, SpreadsWarpsSoThatTheyReadLeast) {
  for (auto [rows, columns, warps, rowWarps, columnWarps] :
       {std::tuple(64, 64, 4u, 2u, 2u), std::tuple(128, 128, 8u, 2u, 4u), std::tuple(256, 64, 4u, 4u, 1u),
        std::tuple(16, 128, 4u, 1u, 4u), std::tuple(128, 256, 4u, 1u, 4u), std::tuple(256, 128, 8u, 4u, 2u)})
    EXPECT_EQ(choose({1, rows, columns, 64}, warpUnit(), warps), Choice(rowWarps, columnWarps, 8)) << rows << columns;
}

TEST_F(ProductCost, CountsWhatIsReadAndComputed) {
  // Two by two warps read 32 rows and 32 columns each, of 64 elements of two bytes.
  ProductPlan plan = planProduct({1, 64, 64, 64}, warpUnit(), 4, machine).front();
  EXPECT_EQ(plan.matrixClocks, 2.0 * 64 * 64 * 64 / 2048);
  EXPECT_EQ(plan.sharedClocks, 4.0 * (32 + 32) * 64 * 2 / 128);
  EXPECT_EQ(plan.exchangeClocks, 0);
  EXPECT_EQ(plan.clocks(), 256);
  EXPECT_EQ(planProduct({3, 64, 64, 64}, warpUnit(), 4, machine).front().clocks(), 3 * 256);
  // Two instructions read 64 rows and 128 columns each.
  plan = planProduct({1, 128, 128, 64}, groupUnit(), 8, machine).front();
  EXPECT_EQ(plan.matrixClocks, 2.0 * 128 * 128 * 64 / 4096);
  EXPECT_EQ(plan.sharedClocks, 2.0 * (64 + 128) * 64 * 2 / 128);
}

TEST_F(ProductCost, TakesWideInstructionsAndGroupsOfRows) {
  EXPECT_EQ(choose({1, 128, 256, 64}, groupUnit(), 8), Choice(8, 1, 256));
  EXPECT_EQ(choose({1, 64, 256, 64}, groupUnit(), 8), Choice(4, 2, 128));
  EXPECT_EQ(choose({1, 64, 512, 64}, groupUnit(), 4), Choice(4, 1, 256));
  EXPECT_EQ(choose({1, 256, 32, 64}, groupUnit(), 8), Choice(8, 1, 32));
  // Narrow instructions read the rows again and again.
  for (const ProductPlan &plan : planProduct({1, 64, 256, 64}, groupUnit(), 4, machine))
    EXPECT_EQ(plan.sharedClocks, 256.0 / double(plan.columns) * 64 + 256);
}

TEST_F(ProductCost, ReadsOnceWhatThreadsHandOver) {
  gpu::MatrixUnit unit = groupUnit();
  unit.takesLeftFromThreads = true;
  Product product{1, 64, 512, 64};
  product.isLeftAcross = true;
  EXPECT_EQ(planProduct(product, unit, 4, machine).front().sharedClocks, 64 + 512);
  product.isLeftAcross = false;
  EXPECT_EQ(planProduct(product, unit, 4, machine).front().sharedClocks, 2 * 64 + 512);
  product.isLeftAcross = true;
  EXPECT_EQ(planProduct(product, groupUnit(), 4, machine).front().sharedClocks, 2 * 64 + 512);
}

TEST_F(ProductCost, KeepsRowsOfChainsInTheirWarps) {
  Product product{1, 128, 64, 64};
  product.isChained = true;
  EXPECT_EQ(choose(product, warpUnit(), 8), Choice(8, 1, 8));
  product.rows = 64;
  EXPECT_EQ(choose(product, warpUnit(), 8), Choice(4, 2, 8));
  // A row of two warps: one exchange, and both read the whole result.
  EXPECT_EQ(planProduct(product, warpUnit(), 8, machine).front().exchangeClocks, 90 + 3 * 64 * 64 * 2 / 128);
  // What is computed lies in the registers of the warps that multiply it.
  product.isLeftComputed = true;
  EXPECT_EQ(planProduct(product, groupUnit(), 4, machine).front().sharedClocks, 64 * 64 * 2 / 128);
}

TEST_F(ProductCost, GivesEachWarpMatricesOfABatch) {
  // A warp that has a matrix for itself reads each element of the operands once.
  ProductPlan plan = planProduct({4, 32, 32, 64}, warpUnit(), 4, machine).front();
  EXPECT_EQ(std::tuple(plan.batchWarps, plan.rowWarps, plan.columnWarps), std::tuple(4u, 1u, 1u));
  EXPECT_EQ(plan.sharedClocks, 4.0 * (32 + 32) * 64 * 2 / 128);
  plan = planProduct({2, 64, 32, 64}, warpUnit(), 8, machine).front();
  EXPECT_EQ(std::tuple(plan.batchWarps, plan.rowWarps * plan.columnWarps), std::tuple(2u, 4u));
}

TEST_F(ProductCost, CopiesWhereTilesDoNotSuffice) {
  llvm::SmallVector<ProductPlan> plans = planProduct({1, 16, 8, 16}, warpUnit(), 4, machine);
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(std::pair(plans.front().rowWarps, plans.front().columnWarps), std::pair(4u, 1u));
  EXPECT_EQ(plans.front().matrixClocks, 4 * 2.0 * 16 * 8 * 16 / 2048);
}

TEST_F(ProductCost, NamesInstructions) {
  EXPECT_EQ(nameInstruction(groupUnit(), 128), "wgmma m64n128k16");
  EXPECT_EQ(nameInstruction(warpUnit(), 8), "mma.sync m16n8k16");
}

} // namespace
} // namespace triton::analysis
