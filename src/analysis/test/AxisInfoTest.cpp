// Compares the facts of the axis analysis with the values of random index expressions, and checks some facts that must
// be found.
#include "analysis/AxisInfo.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace triton;

namespace {

constexpr int64_t rows = 8, columns = 16;

class AxisInfoTest : public testing::Test {
protected:
  AxisInfoTest() { context.loadDialect<tt::TritonDialect, arith::ArithDialect, LLVM::LLVMDialect, scf::SCFDialect>(); }

  /// The facts of the operation with the attribute `probe`.
  analysis::AxisInfo probe(llvm::StringRef body, analysis::StatedRuns runs = analysis::StatedRuns::Believed) {
    std::string text = "tt.func public @kernel(%n: i32, %n16: i32 {tt.divisibility = 16 : i32}, "
                       "%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %positive: i32 {tt.nonnegative}) {\n" +
                       body.str() + "\ntt.return\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Value found;
    module->walk([&](Operation *op) {
      if (op->hasAttr("probe"))
        found = op->getResult(0);
    });
    return analysis::AxisInfoAnalysis(*module, runs).getAxisInfo(found);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// A kernel of random integer operations on 8 x 16 tensors, with the value of every element.
class RandomIndices {
public:
  RandomIndices(MLIRContext &context, unsigned seed) : generator(seed), builder(&context) {
    Location location = builder.getUnknownLoc();
    module = ModuleOp::create(location);
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> types(3, builder.getI32Type());
    auto function = tt::FuncOp::create(builder, location, "kernel", builder.getFunctionType(types, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    for (unsigned index = 0; index < 3; ++index) {
      int64_t divisor = int64_t(1) << pick(5);
      function.setArgAttr(index, "tt.divisibility", builder.getI32IntegerAttr(int32_t(divisor)));
      splat(block->getArgument(index), divisor * (int64_t(pick(9)) - 4));
    }
    for (int32_t constant : {0, 1, 2, 3, 4, 8, 16, 48, -4, -16, 7, 15})
      if (pick(2))
        splat(arith::ConstantIntOp::create(builder, location, constant, 32), constant);
    range(1, rows);
    range(0, columns);
    for (unsigned step = 0; step < 14; ++step)
      grow();
    tt::ReturnOp::create(builder, location, ValueRange());
  }

  struct Entry {
    Value value;
    SmallVector<int64_t> elements; ///< row-major
  };

  OwningOpRef<ModuleOp> module;
  SmallVector<Entry> integers, conditions;

private:
  unsigned pick(unsigned count) { return unsigned(generator() % count); }
  Location location() { return builder.getUnknownLoc(); }
  RankedTensorType tensorType() { return RankedTensorType::get({rows, columns}, builder.getI32Type()); }

  void splat(Value scalar, int64_t value) {
    integers.push_back(
        {tt::SplatOp::create(builder, location(), tensorType(), scalar), SmallVector<int64_t>(rows * columns, value)});
  }

  /// Numbers that grow along the dimension other than `axis`, from a start that is a multiple of some power of two.
  void range(unsigned axis, int64_t extent) {
    int64_t start = pick(2) ? 0 : int64_t(1) << pick(6);
    auto flat = RankedTensorType::get({extent}, builder.getI32Type());
    Value numbers = tt::MakeRangeOp::create(builder, location(), flat, int32_t(start), int32_t(start + extent));
    Value expanded = tt::ExpandDimsOp::create(builder, location(), numbers, axis);
    Entry entry{tt::BroadcastOp::create(builder, location(), tensorType(), expanded), {}};
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        entry.elements.push_back(start + (axis == 1 ? row : column));
    integers.push_back(entry);
  }

  template <typename Op, typename Evaluate> bool binary(Evaluate evaluate) {
    const Entry left = integers[pick(integers.size())], right = integers[pick(integers.size())];
    Entry result;
    for (auto [a, b] : llvm::zip_equal(left.elements, right.elements)) {
      std::optional<int64_t> value = evaluate(a, b);
      if (!value || std::abs(*value) > (1 << 20))
        return false; // undefined, or close to overflow
      result.elements.push_back(*value);
    }
    result.value = Op::create(builder, location(), left.value, right.value);
    integers.push_back(result);
    return true;
  }

  void compare() {
    using Predicate = arith::CmpIPredicate;
    const Entry left = integers[pick(integers.size())], right = integers[pick(integers.size())];
    auto predicate = Predicate(pick(10));
    Entry result{arith::CmpIOp::create(builder, location(), predicate, left.value, right.value), {}};
    for (auto [a, b] : llvm::zip_equal(left.elements, right.elements))
      result.elements.push_back(arith::applyCmpPredicate(predicate, APInt(32, uint32_t(a)), APInt(32, uint32_t(b))));
    conditions.push_back(result);
  }

  void select() {
    if (conditions.empty())
      return compare();
    const Entry condition = conditions[pick(conditions.size())], left = integers[pick(integers.size())],
                right = integers[pick(integers.size())];
    Entry result{arith::SelectOp::create(builder, location(), condition.value, left.value, right.value), {}};
    for (std::size_t i = 0; i < left.elements.size(); ++i)
      result.elements.push_back(condition.elements[i] ? left.elements[i] : right.elements[i]);
    integers.push_back(result);
  }

  void grow() {
    using Result = std::optional<int64_t>;
    switch (pick(13)) {
    case 0:
      binary<arith::AddIOp>([](int64_t a, int64_t b) { return Result(a + b); });
      break;
    case 1:
      binary<arith::SubIOp>([](int64_t a, int64_t b) { return Result(a - b); });
      break;
    case 2:
      binary<arith::MulIOp>([](int64_t a, int64_t b) { return Result(a * b); });
      break;
    case 3:
      binary<arith::DivSIOp>([](int64_t a, int64_t b) { return b ? Result(a / b) : Result(); });
      break;
    case 4:
      binary<arith::RemSIOp>([](int64_t a, int64_t b) { return b ? Result(a % b) : Result(); });
      break;
    case 5:
      binary<arith::ShLIOp>([](int64_t a, int64_t b) { return b >= 0 && b < 12 ? Result(a << b) : Result(); });
      break;
    case 6:
      binary<arith::ShRSIOp>([](int64_t a, int64_t b) { return b >= 0 && b < 32 ? Result(a >> b) : Result(); });
      break;
    case 7:
      binary<arith::AndIOp>([](int64_t a, int64_t b) { return Result(a & b); });
      break;
    case 8:
      binary<arith::MinSIOp>([](int64_t a, int64_t b) { return Result(std::min(a, b)); });
      break;
    case 9:
      binary<arith::MaxSIOp>([](int64_t a, int64_t b) { return Result(std::max(a, b)); });
      break;
    case 10:
      binary<arith::OrIOp>([](int64_t a, int64_t b) { return Result(a | b); });
      break;
    case 11:
      compare();
      break;
    default:
      select();
    }
  }

  std::mt19937 generator;
  OpBuilder builder;
};

void checkAxis(const analysis::AxisInfo &info, unsigned axis, const RandomIndices::Entry &entry) {
  const analysis::AxisFacts &facts = info.axes[axis];
  int64_t extent = axis == 0 ? rows : columns, stride = axis == 0 ? columns : 1;
  for (int64_t index = 0; index < rows * columns; ++index) {
    int64_t position = index / stride % extent, value = entry.elements[index];
    if (position % facts.contiguity == 0)
      ASSERT_EQ(value % facts.divisibility, 0) << "divisibility at " << index;
    else
      ASSERT_EQ(value, entry.elements[index - stride] + 1) << "contiguity at " << index;
    if (position % facts.constancy != 0)
      ASSERT_EQ(value, entry.elements[index - stride]) << "constancy at " << index;
    if (info.constant)
      ASSERT_EQ(value, *info.constant);
    if (info.isNonNegative)
      ASSERT_GE(value, 0);
  }
}

TEST_F(AxisInfoTest, FactsHoldForRandomExpressions) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    RandomIndices indices(context, seed);
    analysis::AxisInfoAnalysis analysis(*indices.module);
    for (const RandomIndices::Entry &entry : indices.integers)
      for (unsigned axis : {0u, 1u}) {
        checkAxis(analysis.getAxisInfo(entry.value), axis, entry);
        if (HasFatalFailure()) {
          indices.module->dump();
          entry.value.dump();
          return;
        }
      }
    for (const RandomIndices::Entry &entry : indices.conditions)
      for (unsigned axis : {0u, 1u}) {
        analysis::AxisInfo info = analysis.getAxisInfo(entry.value);
        EXPECT_EQ(info.axes[axis].contiguity, 1);
        info.constant.reset();
        checkAxis(info, axis, entry);
        if (HasFatalFailure()) {
          indices.module->dump();
          entry.value.dump();
          return;
        }
      }
  }
}

TEST_F(AxisInfoTest, BlockOffsetIsContiguousAndAligned) {
  analysis::AxisInfo info = probe(R"(
    %c = arith.constant 1024 : i32
    %i = tt.get_program_id x : i32
    %o = arith.muli %i, %c : i32
    %s = tt.splat %o : i32 -> tensor<1024xi32>
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %x = arith.addi %s, %r : tensor<1024xi32>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
    %a = tt.addptr %b, %x {probe} : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>)");
  EXPECT_EQ(info.axes[0], (analysis::AxisFacts{1024, 16, 1, 2}));
}

TEST_F(AxisInfoTest, MaskBelowAMultipleOf16IsConstantIn16) {
  llvm::StringRef kernel = R"(
    %s = tt.splat %n16 : i32 -> tensor<1024xi32>
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %m = arith.cmpi slt, %r, %s {probe} : tensor<1024xi32>)";
  EXPECT_EQ(probe(kernel).axes[0].constancy, 16);
  EXPECT_EQ(probe(std::string(kernel).replace(kernel.find("slt"), 3, "sle")).axes[0].constancy, 1);
}

// What is read in place of masked elements must be as uniform as what is loaded.
TEST_F(AxisInfoTest, LoadsFromOnePlaceAreConstant) {
  std::string kernel = R"(
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %c = arith.constant dense<32> : tensor<128xi32>
    %g = arith.divsi %r, %c : tensor<128xi32>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %a = tt.addptr %b, %g : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %s = tt.splat %n : i32 -> tensor<128xi32>
    %m = arith.cmpi slt, %g, %s : tensor<128xi32>
    %z = arith.constant dense<0.0> : tensor<128xf16>
    %f = arith.sitofp %r : tensor<128xi32> to tensor<128xf16>
    %x = tt.load %a, %m, %OTHER {probe} : tensor<128x!tt.ptr<f16>>)";
  auto with = [&](llvm::StringRef other) {
    std::string text = kernel;
    text.replace(text.find("%OTHER"), 6, other.str());
    return probe(text).axes[0].constancy;
  };
  EXPECT_EQ(with("%z"), 32);
  EXPECT_EQ(with("%f"), 1);
}

TEST_F(AxisInfoTest, RemaindersNeedADividendWithoutSign) {
  std::string kernel = R"(
    %c = arith.constant 64 : i32
    %o = arith.muli %ARG, %c : i32
    %s = tt.splat %o : i32 -> tensor<64xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %x = arith.addi %s, %r : tensor<64xi32>
    %d = tt.splat %n16 : i32 -> tensor<64xi32>
    %q = arith.remsi %x, %d {probe} : tensor<64xi32>)";
  auto with = [&](llvm::StringRef argument) {
    std::string text = kernel;
    text.replace(text.find("%ARG"), 4, argument.str());
    return probe(text).axes[0].contiguity;
  };
  EXPECT_EQ(with("%n"), 1);
  EXPECT_EQ(with("%positive"), 16);
}

TEST_F(AxisInfoTest, AssumptionsAreFacts) {
  analysis::AxisInfo info = probe(R"(
    %z = arith.constant 0 : i32
    %c = arith.constant 32 : i32
    %k = arith.cmpi sge, %n, %z : i32
    llvm.intr.assume %k : i1
    %l = arith.remsi %n, %c : i32
    %m = arith.cmpi eq, %l, %z : i32
    llvm.intr.assume %m : i1
    %x = arith.addi %n, %c {probe} : i32)");
  EXPECT_EQ(info.axes[0].divisibility, 32);
  EXPECT_TRUE(info.isNonNegative);
}

TEST_F(AxisInfoTest, NoProgramIsTheLastOrLater) {
  // Behind program `i` of `m` there are m - 1 - i others.
  auto isNonNegative = [&](llvm::StringRef difference) {
    return probe(R"(
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %m = tt.get_num_programs x : i32
    %i = tt.get_program_id x : i32
    %j = tt.get_program_id y : i32
)" + difference.str())
        .isNonNegative;
  };
  EXPECT_TRUE(isNonNegative("%l = arith.subi %m, %one : i32\n %x = arith.subi %l, %i {probe} : i32"));
  EXPECT_TRUE(isNonNegative("%l = arith.subi %m, %i : i32\n %x = arith.subi %l, %one {probe} : i32"));
  EXPECT_FALSE(isNonNegative("%l = arith.subi %m, %two : i32\n %x = arith.subi %l, %i {probe} : i32"));
  EXPECT_FALSE(isNonNegative("%l = arith.subi %m, %one : i32\n %x = arith.subi %l, %j {probe} : i32"));
  EXPECT_FALSE(isNonNegative("%x = arith.subi %i, %m {probe} : i32"));
}

TEST_F(AxisInfoTest, LoopsReachAFixpoint) {
  llvm::StringRef kernel = R"(
    %lower = arith.constant 0 : i32
    %step = arith.constant STEP : i32
    %t = tt.splat %step : i32 -> tensor<64xi32>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %f = scf.for %i = %lower to %n step %step iter_args(%x = %r) -> tensor<64xi32> : i32 {
      %s = tt.splat %i : i32 -> tensor<64xi32>
      %u = arith.addi %s, %x {probe} : tensor<64xi32>
      %y = arith.addi %x, %t : tensor<64xi32>
      scf.yield %y : tensor<64xi32>
    })";
  auto with = [&](llvm::StringRef step) {
    std::string text = kernel.str();
    text.replace(text.find("STEP"), 4, step.str());
    return probe(text).axes[0];
  };
  EXPECT_EQ(with("32"), (analysis::AxisFacts{64, 32, 1, 1}));
  EXPECT_EQ(with("12"), (analysis::AxisFacts{64, 4, 1, 1}));
}

TEST_F(AxisInfoTest, HintsAreTrusted) {
  analysis::AxisInfo info = probe(R"(
    %s = tt.splat %n : i32 -> tensor<64xi32>
    %x = arith.muli %s, %s {probe, tt.contiguity = dense<32> : tensor<1xi32>, tt.divisibility = dense<96> : tensor<1xi32>}
        : tensor<64xi32>)");
  EXPECT_EQ(info.axes[0].contiguity, 32);
  EXPECT_EQ(info.axes[0].divisibility, 32);
}

TEST_F(AxisInfoTest, StatedRunsCanBeIgnored) {
  auto with = [&](analysis::StatedRuns runs) {
    return probe(R"(
      %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
      %s = tt.splat %n : i32 -> tensor<64xi32>
      %w = arith.remsi %r, %s {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<64> : tensor<1xi32>}
          : tensor<64xi32>
      %x = arith.addi %w, %s {probe} : tensor<64xi32>)",
                 runs)
        .axes[0];
  };
  EXPECT_EQ(with(analysis::StatedRuns::Believed).contiguity, 64);
  EXPECT_EQ(with(analysis::StatedRuns::Ignored).contiguity, 1);
  EXPECT_EQ(with(analysis::StatedRuns::Ignored).divisibility, 1);
}

TEST_F(AxisInfoTest, ReshapeKeepsRunsOfTheLowDimension) {
  analysis::AxisInfo info = probe(R"(
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %x = tt.reshape %r {probe} : tensor<128xi32> -> tensor<8x16xi32>)");
  EXPECT_EQ(info.axes[1].contiguity, 16);
  EXPECT_EQ(info.axes[0].contiguity, 1);
}

} // namespace
