// The rules of the axis analysis one by one: what must be found for each operation. AxisInfoTest.cpp checks that no
// false facts are found.
#include "analysis/AxisInfo.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace triton;

namespace {

using analysis::AxisFacts;
using analysis::AxisInfo;

class AxisRules : public testing::Test {
protected:
  AxisRules() { context.loadDialect<tt::TritonDialect, arith::ArithDialect, scf::SCFDialect>(); }

  /// The facts of the last value that `body` defines, with values of every kind at hand.
  AxisInfo infer(const std::string &body) {
    std::string text = R"(
tt.func public @kernel(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %n16: i32 {tt.divisibility = 16 : i32},
                       %count: i32 {tt.divisibility = 16 : i32, tt.nonnegative}) {
  %run = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %late = tt.make_range {start = 48 : i32, end = 112 : i32} : tensor<64xi32>
  %sn = tt.splat %n : i32 -> tensor<64xi32>
  %s16 = tt.splat %n16 : i32 -> tensor<64xi32>
  %positive = tt.splat %count : i32 -> tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %c8 = arith.constant dense<8> : tensor<64xi32>
  %c15 = arith.constant dense<15> : tensor<64xi32>
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %c48 = arith.constant dense<48> : tensor<64xi32>
  %high = arith.constant dense<-16> : tensor<64xi32>
  %signed = arith.addi %run, %s16 : tensor<64xi32>
  %counted = arith.addi %run, %positive : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
)" + body + "\n  tt.return\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Value found;
    (*module).walk([&](tt::FuncOp function) {
      for (Operation &op : function.getBody().front())
        if (op.getNumResults() == 1)
          found = op.getResult(0);
    });
    return analysis::AxisInfoAnalysis(*module).getAxisInfo(found);
  }

  AxisFacts facts(const std::string &body) { return infer(body).axes.front(); }
  /// Of an operation on two tensors of integers.
  AxisFacts binary(const std::string &name, const std::string &left, const std::string &right) {
    return facts("  %x = arith." + name + " %" + left + ", %" + right + " : tensor<64xi32>");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(AxisRules, RangesAreAlignedAsTheirStart) {
  AxisFacts late = facts("  %x = tt.make_range {start = 48 : i32, end = 112 : i32} : tensor<64xi32>");
  EXPECT_EQ(late, (AxisFacts{64, 16, 1}));
  EXPECT_EQ(facts("  %x = arith.constant dense<48> : tensor<64xi32>"), (AxisFacts{1, 16, 64}));
  EXPECT_EQ(facts("  %x = tt.splat %n16 : i32 -> tensor<64xi32>"), (AxisFacts{1, 16, 64}));
}

TEST_F(AxisRules, SumsOfRunsAndEqualValuesAreRuns) {
  EXPECT_EQ(binary("addi", "run", "s16"), (AxisFacts{64, 16, 1}));
  EXPECT_EQ(binary("addi", "s16", "late"), (AxisFacts{64, 16, 1}));
  EXPECT_EQ(binary("addi", "run", "sn"), (AxisFacts{64, 1, 1}));
  EXPECT_EQ(binary("addi", "run", "run").contiguity, 1);
  EXPECT_EQ(binary("addi", "s16", "s16"), (AxisFacts{1, 16, 64}));
}

TEST_F(AxisRules, DifferencesOfRunsAreEqual) {
  EXPECT_EQ(binary("subi", "run", "s16"), (AxisFacts{64, 16, 1}));
  EXPECT_EQ(binary("subi", "late", "run").constancy, 64);
  EXPECT_EQ(binary("subi", "s16", "run").contiguity, 1);
}

TEST_F(AxisRules, ProductsAreDivisibleByBothFactors) {
  EXPECT_EQ(binary("muli", "run", "c16"), (AxisFacts{1, 16, 1}));
  EXPECT_EQ(binary("muli", "s16", "c8"), (AxisFacts{1, 128, 64}));
  EXPECT_EQ(binary("muli", "late", "one"), (AxisFacts{64, 16, 1}));
  EXPECT_EQ(binary("muli", "one", "late"), (AxisFacts{64, 16, 1}));
}

TEST_F(AxisRules, QuotientsAreEqualInAlignedRuns) {
  EXPECT_EQ(binary("divsi", "run", "c16").constancy, 16);
  EXPECT_EQ(binary("divsi", "counted", "c8").constancy, 8);
  EXPECT_EQ(binary("divsi", "counted", "positive").constancy, 16);
  EXPECT_EQ(binary("divsi", "s16", "c8"), (AxisFacts{1, 2, 64}));
  EXPECT_EQ(binary("divsi", "late", "one"), (AxisFacts{64, 16, 1}));
  EXPECT_EQ(binary("divsi", "run", "three").constancy, 1);
}

// -1 / 16 and 0 / 16 are both 0, -16 / 16 is -1: groups that start at multiples of 16 are not equal below zero.
TEST_F(AxisRules, QuotientsAndRemaindersBelowZeroHaveNoGroups) {
  EXPECT_EQ(binary("divsi", "signed", "c16").constancy, 1);
  EXPECT_EQ(binary("remsi", "signed", "c16").contiguity, 1);
  EXPECT_EQ(binary("divui", "signed", "c16").constancy, 16);
  EXPECT_EQ(binary("remui", "signed", "c16").contiguity, 16);
}

// Elements within a group have no common divisor; only the group's start is divisible.
TEST_F(AxisRules, RemaindersAreDivisibleAtTheStartsOfGroups) {
  EXPECT_EQ(binary("remsi", "run", "c48"), (AxisFacts{16, 16, 1}));
  EXPECT_EQ(binary("remsi", "counted", "c8"), (AxisFacts{8, 8, 1}));
  AxisFacts moved =
      facts("  %y = arith.remsi %run, %c48 : tensor<64xi32>\n  %x = arith.muli %y, %three : tensor<64xi32>");
  EXPECT_EQ(moved, (AxisFacts{1, 1, 1}));
  AxisFacts shifted =
      facts("  %y = arith.remsi %run, %c48 : tensor<64xi32>\n  %x = arith.addi %y, %four : tensor<64xi32>");
  EXPECT_EQ(shifted, (AxisFacts{16, 4, 1}));
}

TEST_F(AxisRules, ShiftsFloor) {
  EXPECT_EQ(binary("shli", "run", "four"), (AxisFacts{1, 16, 1}));
  EXPECT_EQ(binary("shrsi", "run", "four").constancy, 16);
  // Unlike a division, below zero as well.
  EXPECT_EQ(binary("shrsi", "signed", "two").constancy, 4);
  EXPECT_EQ(binary("shrsi", "s16", "two"), (AxisFacts{1, 4, 64}));
}

TEST_F(AxisRules, MasksOfLowAndHighBits) {
  EXPECT_EQ(binary("andi", "run", "c15"), (AxisFacts{16, 16, 1}));
  EXPECT_EQ(binary("andi", "signed", "c15"), (AxisFacts{16, 16, 1}));
  EXPECT_EQ(binary("andi", "signed", "high").constancy, 16);
}

TEST_F(AxisRules, ComparisonsWithMultiplesAreEqualInRuns) {
  auto compare = [&](const std::string &predicate, const std::string &left, const std::string &right) {
    return facts("  %x = arith.cmpi " + predicate + ", %" + left + ", %" + right + " : tensor<64xi32>").constancy;
  };
  for (const char *below : {"slt", "sge", "ult", "uge"}) {
    EXPECT_EQ(compare(below, "run", "s16"), 16) << below;
    EXPECT_EQ(compare(below, "s16", "run"), 1) << below;
  }
  for (const char *above : {"sgt", "sle", "ugt", "ule"}) {
    EXPECT_EQ(compare(above, "s16", "run"), 16) << above;
    EXPECT_EQ(compare(above, "run", "s16"), 1) << above;
  }
  EXPECT_EQ(compare("slt", "run", "sn"), 1);
  EXPECT_EQ(compare("eq", "run", "s16"), 1);
}

TEST_F(AxisRules, ChoicesAreRunsWhereTheConditionIsEqual) {
  auto choose = [&](const std::string &limit) {
    return facts("  %m = arith.cmpi slt, %run, %" + limit +
                 " : tensor<64xi32>\n  %x = arith.select %m, %run, %late : tensor<64xi1>, tensor<64xi32>");
  };
  // A run of 64 from a multiple of 2^30 becomes runs of 8 from multiples of 8.
  EXPECT_EQ(choose("c8"), (AxisFacts{8, 8, 1}));
  EXPECT_EQ(choose("s16"), (AxisFacts{16, 16, 1}));
  EXPECT_EQ(choose("sn"), (AxisFacts{1, 1, 1}));
  EXPECT_EQ(facts("  %x = arith.minsi %run, %late : tensor<64xi32>"), (AxisFacts{64, 16, 1}));
}

TEST_F(AxisRules, LoadsAreEqualWherePointersAndMaskAre) {
  std::string load = R"(
  %i = arith.divsi %run, %c16 : tensor<64xi32>
  %a = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %m = arith.cmpi slt, %run, %c8 : tensor<64xi32>
  %x = tt.load %a)";
  EXPECT_EQ(facts(load + " : tensor<64x!tt.ptr<i32>>").constancy, 16);
  EXPECT_EQ(facts(load + ", %m, %run : tensor<64x!tt.ptr<i32>>").constancy, 1);
}

TEST_F(AxisRules, PointersCountBytes) {
  auto at = [&](const std::string &index) {
    return facts("  %x = tt.addptr %ps, %" + index + " : tensor<64x!tt.ptr<i32>>, tensor<64xi32>");
  };
  EXPECT_EQ(at("run"), (AxisFacts{64, 16, 1, 4}));
  EXPECT_EQ(at("two"), (AxisFacts{1, 8, 64, 4}));
  EXPECT_EQ(at("sn"), (AxisFacts{1, 4, 64, 4}));
}

TEST_F(AxisRules, ShapesKeepWhatTheirDimensionsKnow) {
  std::string tile = R"(
  %r = tt.expand_dims %late {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %stride = tt.splat %n16 : i32 -> tensor<64x1xi32>
  %o = arith.muli %r, %stride : tensor<64x1xi32>)";
  AxisInfo column = infer("  %x = tt.expand_dims %s16 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>");
  EXPECT_EQ(column.axes[1], (AxisFacts{1, 16, 1}));
  AxisInfo grown = infer(tile + "\n  %x = tt.broadcast %o : tensor<64x1xi32> -> tensor<64x32xi32>");
  EXPECT_EQ(grown.axes[0], (AxisFacts{1, 16, 1}));
  EXPECT_EQ(grown.axes[1], (AxisFacts{1, 16, 32}));
  AxisInfo turned = infer(tile + R"(
  %b = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x32xi32>
  %x = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xi32> -> tensor<32x64xi32>)");
  EXPECT_EQ(turned.axes[1], (AxisFacts{64, 16, 1}));
  EXPECT_EQ(turned.axes[0].constancy, 32);
}

TEST_F(AxisRules, CountersOfLoopsAreDivisibleAsStartAndStepAre) {
  auto counter = [&](const std::string &lower, const std::string &step) {
    AxisInfo info = infer("  %lower = arith.constant " + lower + " : i32\n  %step = arith.constant " + step + R"( : i32
  %z = arith.constant 0 : i32
  %x = scf.for %i = %lower to %n step %step iter_args(%last = %lower) -> i32 : i32 {
    scf.yield %i : i32
  })");
    return info.axes[0].divisibility;
  };
  EXPECT_EQ(counter("0", "32"), 32);
  EXPECT_EQ(counter("48", "32"), 16);
  EXPECT_EQ(counter("1", "32"), 1);
}

TEST_F(AxisRules, ParametersJoinWhatAllCallsPass) {
  module = parseSourceString<ModuleOp>(R"(
tt.func public @kernel(%n16: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  tt.call @both(%n16) : (i32) -> ()
  tt.call @both(%c8) : (i32) -> ()
  tt.call @one(%n16) : (i32) -> ()
  tt.return
}
tt.func private @both(%x: i32) { tt.return }
tt.func private @one(%x: i32) { tt.return }
)",
                                       &context);
  ASSERT_TRUE(module);
  analysis::AxisInfoAnalysis analysis(*module);
  auto parameter = [&](llvm::StringRef name) {
    return analysis.getAxisInfo((*module).lookupSymbol<tt::FuncOp>(name).getArgument(0)).axes[0].divisibility;
  };
  EXPECT_EQ(parameter("both"), 8);
  EXPECT_EQ(parameter("one"), 16);
}

} // namespace
