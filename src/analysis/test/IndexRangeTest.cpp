// Ranges of indices, with and without a mask.
#include "analysis/IndexRange.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace triton;
using analysis::IndexRange;

namespace {

constexpr IndexRange anyIndex{INT32_MIN, INT32_MAX};

class IndexRangeTest : public testing::Test {
protected:
  IndexRangeTest() { context.loadDialect<tt::TritonDialect, arith::ArithDialect>(); }

  /// The range of the operation with the attribute `probe`, where the mask, that with `mask`, is true.
  IndexRange probe(llvm::StringRef body) {
    std::string text = R"(tt.func public @kernel(%n: i32, %length: i32 {tt.nonnegative}, %t: tensor<8xi32>) {
      %c8 = arith.constant 8 : i32
      %pid = tt.get_program_id x : i32
      %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
      %lengths = tt.splat %length : i32 -> tensor<8xi32>
      %two = arith.constant dense<2> : tensor<8xi32>
      %minus = arith.constant dense<-3> : tensor<8xi32>
      )" + body.str() + "\ntt.return\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Value found, mask;
    module->walk([&](Operation *op) {
      if (op->hasAttr("probe"))
        found = op->getResult(0);
      if (op->hasAttr("mask"))
        mask = op->getResult(0);
    });
    analysis::AxisInfoAnalysis axisInfo(*module);
    return analysis::IndexRanges(axisInfo, mask).find(found);
  }

  MLIRContext context;
};

TEST_F(IndexRangeTest, Arithmetic) {
  EXPECT_EQ(probe("%x = arith.addi %r, %two {probe} : tensor<8xi32>"), (IndexRange{2, 9}));
  EXPECT_EQ(probe("%x = arith.subi %r, %two {probe} : tensor<8xi32>"), (IndexRange{-2, 5}));
  EXPECT_EQ(probe("%x = arith.muli %r, %minus {probe} : tensor<8xi32>"), (IndexRange{-21, 0}));
  EXPECT_EQ(probe("%x = arith.muli %pid, %c8 {probe} : i32"), (IndexRange{0, INT32_MAX}));
  EXPECT_EQ(probe("%x = arith.addi %n, %c8 {probe} : i32"), (IndexRange{INT32_MIN + 8, INT32_MAX}));
  EXPECT_EQ(probe("%x = arith.muli %r, %lengths {probe} : tensor<8xi32>"), (IndexRange{0, INT32_MAX}));
  EXPECT_EQ(probe("%x = arith.divsi %r, %two {probe} : tensor<8xi32>"), (IndexRange{0, 3}));
  EXPECT_EQ(probe("%x = arith.divsi %r, %lengths {probe} : tensor<8xi32>"), (IndexRange{0, 7}));
  EXPECT_EQ(probe("%x = arith.divsi %r, %t {probe} : tensor<8xi32>"), (IndexRange{-7, 7}));
  EXPECT_EQ(probe("%x = arith.remsi %r, %two {probe} : tensor<8xi32>"), (IndexRange{0, 1}));
  EXPECT_EQ(probe("%x = arith.remsi %n, %c8 {probe} : i32"), (IndexRange{-7, 7}));
  EXPECT_EQ(probe("%x = arith.andi %n, %c8 {probe} : i32"), (IndexRange{0, 8}));
  EXPECT_EQ(probe("%x = arith.maxsi %minus, %r {probe} : tensor<8xi32>"), (IndexRange{0, 7}));
  EXPECT_EQ(probe("%x = arith.shli %n, %c8 {probe} : i32"), anyIndex);
  EXPECT_EQ(probe("%x = arith.extui %n {probe} : i32 to i64"), (IndexRange{0, UINT32_MAX}));
  EXPECT_EQ(probe("%m = arith.cmpi slt, %r, %two : tensor<8xi32>\n"
                  "%x = arith.select %m, %r, %minus {probe} : tensor<8xi1>, tensor<8xi32>"),
            (IndexRange{-3, 7}));
}

TEST_F(IndexRangeTest, Masks) {
  EXPECT_EQ(probe("%m = arith.cmpi sge, %t, %two {mask} : tensor<8xi32>\n"
                  "%x = arith.addi %t, %minus {probe} : tensor<8xi32>"),
            (IndexRange{-1, INT32_MAX - 3}));
  EXPECT_EQ(probe("%m = arith.cmpi slt, %t, %lengths : tensor<8xi32>\n"
                  "%k = arith.cmpi sgt, %t, %minus : tensor<8xi32>\n"
                  "%b = arith.andi %m, %k {mask} : tensor<8xi1>\n"
                  "%x = arith.extsi %t {probe} : tensor<8xi32> to tensor<8xi64>"),
            (IndexRange{-2, INT32_MAX - 1}));
  EXPECT_EQ(probe("%m = arith.cmpi ult, %t, %two {mask} : tensor<8xi32>\n"
                  "%x = arith.muli %t, %two {probe} : tensor<8xi32>"),
            (IndexRange{0, 2}));
  EXPECT_EQ(probe("%m = arith.cmpi ne, %t, %two {mask} : tensor<8xi32>\n"
                  "%x = arith.muli %t, %two {probe} : tensor<8xi32>"),
            anyIndex);
}

/// The vector is both the rows and the columns of a tile. The mask checks the rows alone.
TEST_F(IndexRangeTest, MasksHoldForTheirOwnAxis) {
  auto ofTile = [&](llvm::StringRef axis) {
    return probe(("%zero = arith.constant dense<0> : tensor<8xi32>\n"
                  "%m = arith.cmpi sge, %t, %zero : tensor<8xi32>\n"
                  "%e = tt.expand_dims %m {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>\n"
                  "%b = tt.broadcast %e {mask} : tensor<8x1xi1> -> tensor<8x8xi1>\n" +
                  (axis == "1" ? llvm::StringRef("%i = tt.expand_dims %t {axis = 1 : i32} : tensor<8xi32> -> "
                                                 "tensor<8x1xi32>\n"
                                                 "%x = tt.broadcast %i {probe} : tensor<8x1xi32> -> tensor<8x8xi32>")
                               : llvm::StringRef("%i = tt.expand_dims %t {axis = 0 : i32} : tensor<8xi32> -> "
                                                 "tensor<1x8xi32>\n"
                                                 "%x = tt.broadcast %i {probe} : tensor<1x8xi32> -> tensor<8x8xi32>")))
                     .str());
  };
  EXPECT_EQ(ofTile("1"), (IndexRange{0, INT32_MAX}));
  EXPECT_EQ(ofTile("0"), anyIndex);
}

} // namespace
