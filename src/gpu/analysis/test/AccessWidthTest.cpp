// How wide accesses of global memory may be.
#include "gpu/analysis/AccessWidth.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace triton;

namespace {

TEST(AccessWidthTest, FollowsMemoryAndLayout) {
  MLIRContext context;
  context.loadDialect<tt::TritonDialect, ttg::TritonGPUDialect, arith::ArithDialect>();
  auto width = [&](llvm::StringRef sizePerThread, llvm::StringRef offset) {
    std::string encoding = "#ttg.blocked<{sizePerThread = [" + sizePerThread.str() +
                           "], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    std::string pointers = "tensor<1024x!tt.ptr<f16>, " + encoding + ">", ints = "tensor<1024xi32, " + encoding + ">";
    std::string text = "tt.func public @kernel(%n: i32, %n16: i32 {tt.divisibility = 16 : i32}, "
                       "%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {\n%s = tt.splat " +
                       offset.str() + " : i32 -> " + ints +
                       "\n%r = tt.make_range {start = 0 : i32, end = 1024 : i32} : " + ints +
                       "\n%x = arith.addi %s, %r : " + ints + "\n%b = tt.splat %p : !tt.ptr<f16> -> " + pointers +
                       "\n%a = tt.addptr %b, %x : " + pointers + ", " + ints + "\ntt.return\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    unsigned result = 0;
    module->walk([&](tt::AddPtrOp op) {
      result = analysis::getVectorWidth(analysis::AxisInfoAnalysis(*module), op, /*mask=*/Value(), /*accessBytes=*/16);
    });
    return result;
  };
  EXPECT_EQ(width("8", "%n16"), 8u);
  EXPECT_EQ(width("16", "%n16"), 8u);
  EXPECT_EQ(width("2", "%n16"), 2u);
  EXPECT_EQ(width("8", "%n"), 1u);
}

} // namespace
