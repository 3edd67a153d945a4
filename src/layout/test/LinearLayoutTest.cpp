// Properties of linear layouts, checked on random layouts, and examples that were checked by hand.
#include "layout/LinearLayout.h"
#include "layout/Elimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <gtest/gtest.h>

#include <random>

namespace triton::layout {
namespace {

constexpr unsigned rounds = 300;

/// A layout with the given inputs, of random bases over the given outputs.
LinearLayout randomLayout(std::mt19937 &random, llvm::ArrayRef<std::pair<std::string, unsigned>> inputBits,
                          llvm::ArrayRef<std::pair<std::string, unsigned>> outputBits) {
  llvm::SmallVector<Output> outputs;
  for (const auto &[name, bits] : outputBits)
    outputs.push_back(Output{name, 1 << bits});
  llvm::SmallVector<Input> inputs;
  for (const auto &[name, bits] : inputBits) {
    Input input{name, {}};
    for (unsigned bit = 0; bit < bits; ++bit)
      input.bases.push_back(
          Basis(llvm::map_range(outputs, [&](const Output &output) { return int32_t(random() % output.size); })));
    inputs.push_back(std::move(input));
  }
  return LinearLayout(inputs, outputs);
}

LinearLayout randomDistributed(std::mt19937 &random) {
  unsigned r = random() % 4, l = random() % 4, w = random() % 3, m = random() % 4, n = random() % 4;
  return randomLayout(random, {{"register", r}, {"lane", l}, {"warp", w}}, {{"dim0", m}, {"dim1", n}});
}

/// The value at a flattened index, from the definition.
uint64_t applyFlat(const LinearLayout &layout, uint64_t index) {
  uint64_t value = 0;
  for (auto [bit, column] : llvm::enumerate(layout.columns()))
    if (index >> bit & 1)
      value ^= column;
  return value;
}

/// The layout of one input `x` and one output `y` with these columns.
LinearLayout fromColumns(llvm::ArrayRef<int32_t> columns, int32_t size) {
  Input input{"x", {}};
  for (int32_t column : columns)
    input.bases.push_back({column});
  return LinearLayout({input}, {Output{"y", size}});
}

llvm::SmallVector<int32_t> flatColumns(const LinearLayout &layout) {
  return llvm::map_to_vector(layout.columns(), [](uint64_t column) { return int32_t(column); });
}

TEST(Span, SolutionsSumToTheValueAndAvoidFreeColumns) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    llvm::SmallVector<uint64_t> columns;
    for (unsigned i = 0; i < 6; ++i)
      columns.push_back(random() % 32);
    Span span(columns);
    llvm::SmallVector<bool> reachable(32, false);
    for (unsigned mask = 0; mask < 64; ++mask) {
      uint64_t sum = 0;
      for (unsigned i = 0; i < 6; ++i)
        sum ^= mask >> i & 1 ? columns[i] : 0;
      reachable[sum] = true;
    }
    EXPECT_EQ(llvm::count(reachable, true), 1 << span.rank());
    for (uint64_t value = 0; value < 32; ++value) {
      std::optional<uint64_t> solution = span.solve(value);
      ASSERT_EQ(solution.has_value(), reachable[value]);
      if (!solution)
        continue;
      EXPECT_EQ(*solution & span.freeColumns(), 0u);
      uint64_t sum = 0;
      for (unsigned i = 0; i < 6; ++i)
        sum ^= *solution >> i & 1 ? columns[i] : 0;
      EXPECT_EQ(sum, value);
    }
  }
}

TEST(LinearLayout, IdentityAndZeros) {
  LinearLayout identity = LinearLayout::identity(8, "lane", "dim0");
  EXPECT_EQ(flatColumns(identity), (llvm::SmallVector<int32_t>{1, 2, 4}));
  EXPECT_TRUE(identity.isInvertible());
  LinearLayout zeros = LinearLayout::zeros(4, "lane", "dim0", 2);
  EXPECT_EQ(flatColumns(zeros), (llvm::SmallVector<int32_t>{0, 0}));
  EXPECT_EQ(zeros.outputSize("dim0"), 2);
  EXPECT_EQ(zeros.freeVariables(), (Point{{"lane", 3}}));
}

TEST(LinearLayout, ApplyIsLinear) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout layout = randomDistributed(random);
    Point a, b, sum;
    for (const Input &input : layout.inputs()) {
      a.emplace_back(input.name, random() % input.size());
      b.emplace_back(input.name, random() % input.size());
      sum.emplace_back(input.name, a.back().second ^ b.back().second);
    }
    for (auto [x, y, z] : llvm::zip_equal(layout.apply(a), layout.apply(b), layout.apply(sum)))
      EXPECT_EQ(x.second ^ y.second, z.second);
  }
}

TEST(LinearLayout, FreeVariablesAreTheBitsThatAddNothing) {
  EXPECT_EQ(fromColumns({1, 0, 2}, 4).freeVariables(), (Point{{"x", 0b010}}));
  EXPECT_EQ(fromColumns({3, 1, 2}, 4).freeVariables(), (Point{{"x", 0b100}}));
  std::mt19937 random(3);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout layout = randomDistributed(random);
    uint64_t free = 0;
    unsigned shift = 0;
    for (auto [input, mask] : llvm::zip_equal(layout.inputs(), layout.freeVariables())) {
      free |= uint64_t(mask.second) << shift;
      shift += input.bits();
    }
    // Indices without free bits reach every value of the layout exactly once.
    llvm::SmallVector<unsigned> representatives(size_t(1) << layout.outputBits(), 0), all(representatives);
    for (uint64_t index = 0; index < uint64_t(1) << layout.inputBits(); ++index) {
      ++all[applyFlat(layout, index)];
      if (!(index & free))
        ++representatives[applyFlat(layout, index)];
    }
    for (auto [count, total] : llvm::zip_equal(representatives, all))
      EXPECT_EQ(count, total ? 1u : 0u);
  }
}

TEST(LinearLayout, ProductIsAssociativeWithANeutralElement) {
  std::mt19937 random(4);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout a = randomDistributed(random), b = randomDistributed(random), c = randomDistributed(random);
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * LinearLayout(), a);
    EXPECT_EQ(LinearLayout() * a, a);
  }
}

TEST(LinearLayout, ProductActsOnLowAndHighBits) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout a = randomDistributed(random), b = randomDistributed(random), product = a * b;
    Point inA, inB, inProduct;
    for (const Input &input : a.inputs()) {
      auto low = int32_t(random() % input.size()), high = int32_t(random() % b.inputSize(input.name));
      inA.emplace_back(input.name, low);
      inB.emplace_back(input.name, high);
      inProduct.emplace_back(input.name, low + high * input.size());
    }
    for (auto [x, y, z] : llvm::zip_equal(a.apply(inA), b.apply(inB), product.apply(inProduct)))
      EXPECT_EQ(z.second, x.second + y.second * a.outputSize(x.first));
  }
}

TEST(LinearLayout, DivisionUndoesTheProduct) {
  std::mt19937 random(6);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout a = randomDistributed(random), b = randomDistributed(random), product = a * b;
    std::optional<LinearLayout> right = product.divideLeft(a), left = product.divideRight(b);
    ASSERT_TRUE(right && left);
    EXPECT_EQ(*right, b);
    EXPECT_EQ(*left, a);
  }
}

TEST(LinearLayout, AQuotientIsAlwaysAFactor) {
  std::mt19937 random(7);
  unsigned found = 0;
  for (unsigned round = 0; round < 20 * rounds; ++round) {
    LinearLayout a = randomDistributed(random);
    LinearLayout divisor = LinearLayout::identity(2, "register", random() % 2 ? "dim0" : "dim1");
    if (std::optional<LinearLayout> quotient = a.divideLeft(divisor)) {
      ++found;
      EXPECT_EQ((divisor * *quotient).orderOutputs({"dim0", "dim1"}), a);
    }
    if (std::optional<LinearLayout> quotient = a.divideRight(divisor)) {
      ++found;
      EXPECT_EQ((*quotient * divisor).orderOutputs({"dim0", "dim1"}), a);
    }
  }
  EXPECT_GT(found, 0u);
}

TEST(LinearLayout, DivisionFindsVectorAccesses) {
  LinearLayout access({Input{"register", {{1}, {2}, {4}, {32}}}, Input{"lane", {{8}, {16}, {64}, {128}, {256}}}},
                      {Output{"offset", 512}});
  std::optional<LinearLayout> quotient = access.divideLeft(LinearLayout::identity(8, "register", "offset"));
  ASSERT_TRUE(quotient);
  EXPECT_EQ(flatColumns(*quotient), (llvm::SmallVector<int32_t>{4, 1, 2, 8, 16, 32}));
  EXPECT_EQ(quotient->inputSize("register"), 2);
  EXPECT_FALSE(access.divideLeft(LinearLayout::identity(16, "register", "offset")));
}

TEST(LinearLayout, DivisionTakesRegistersInTheirOrder) {
  auto access = [](const std::vector<Basis> &registers) {
    return LinearLayout({Input{"register", registers}, Input{"lane", {{8}, {16}}}}, {Output{"offset", 64}});
  };
  LinearLayout vector = LinearLayout::identity(8, "register", "offset");
  EXPECT_FALSE(access({{2}, {1}, {4}, {32}}).divideLeft(vector));
  EXPECT_TRUE(access({{1}, {2}, {4}, {32}}).divideLeft(vector));
  // With a later register inside of the vector, or with a lane, no whole vector remains.
  EXPECT_FALSE(access({{1}, {2}, {4}, {36}}).divideLeft(vector));
}

TEST(LinearLayout, ComposeAppliesBoth) {
  std::mt19937 random(8);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout inner = randomLayout(random, {{"lane", 3}, {"warp", 2}}, {{"dim0", 2}, {"dim1", 3}});
    LinearLayout outer = randomLayout(random, {{"dim1", 3}, {"dim0", 4}}, {{"offset", 6}});
    LinearLayout both = inner.compose(outer);
    for (int32_t lane = 0; lane < 8; ++lane)
      for (int32_t warp = 0; warp < 4; ++warp) {
        Point point{{"lane", lane}, {"warp", warp}};
        EXPECT_EQ(both.apply(point), outer.apply(inner.apply(point)));
      }
  }
}

TEST(LinearLayout, SolveFindsWhatIsHeld) {
  std::mt19937 random(9);
  unsigned solved = 0, unsolved = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout source = randomLayout(random, {{"register", 2}, {"lane", 3}}, {{"dim0", 2}, {"dim1", 2}});
    LinearLayout target = randomLayout(random, {{"register", 2}, {"lane", 2}}, {{"dim1", 2}, {"dim0", 1}});
    std::optional<LinearLayout> where = source.solve(target);
    bool allHeld = llvm::all_of(target.orderOutputs({"dim0", "dim1"}).inputs(), [&](const Input &input) {
      return llvm::all_of(input.bases, [&](const Basis &wanted) {
        for (uint64_t index = 0; index < 32; ++index)
          if (applyFlat(source, index) == uint64_t(wanted[0] | wanted[1] << 2))
            return true;
        return false;
      });
    });
    ASSERT_EQ(where.has_value(), allHeld);
    ++(where ? solved : unsolved);
    if (!where)
      continue;
    LinearLayout found = where->compose(source).orderOutputs({"dim1", "dim0"});
    for (auto [input, wanted] : llvm::zip_equal(found.inputs(), target.inputs()))
      EXPECT_EQ(input.bases, wanted.bases);
  }
  EXPECT_GT(solved, 0u);
  EXPECT_GT(unsolved, 0u);
}

TEST(LinearLayout, PseudoInverseGivesTheSmallestHolder) {
  EXPECT_EQ(flatColumns(*fromColumns({1, 0, 2}, 4).pseudoInverse()), (llvm::SmallVector<int32_t>{1, 4}));
  EXPECT_EQ(flatColumns(*fromColumns({3, 1, 2}, 4).pseudoInverse()), (llvm::SmallVector<int32_t>{2, 3}));
  EXPECT_FALSE(fromColumns({1, 0, 1}, 4).pseudoInverse());
}

TEST(LinearLayout, InverseIsTwoSided) {
  std::mt19937 random(10);
  unsigned invertible = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random, {{"register", 1}, {"lane", 3}}, {{"dim0", 2}, {"dim1", 2}});
    std::optional<LinearLayout> inverse = layout.inverse();
    ASSERT_EQ(inverse.has_value(), layout.rank() == 4);
    if (!inverse)
      continue;
    ++invertible;
    EXPECT_EQ(layout.compose(*inverse).columns(), (llvm::SmallVector<uint64_t>{1, 2, 4, 8}));
    EXPECT_EQ(inverse->compose(layout).columns(), (llvm::SmallVector<uint64_t>{1, 2, 4, 8}));
    EXPECT_EQ(inverse->inverse(), layout);
  }
  EXPECT_GT(invertible, 0u);
}

TEST(LinearLayout, FlatteningKeepsTheMap) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < rounds; ++round) {
    LinearLayout layout = randomDistributed(random);
    llvm::SmallVector<std::pair<std::string, int32_t>> sizes;
    for (const Input &input : layout.inputs())
      sizes.emplace_back(input.name, input.size());
    EXPECT_EQ(layout.flattenInputs("i").reshapeInputs(sizes), layout);
    EXPECT_EQ(layout.flattenOutputs("o").reshapeOutputs(layout.outputs()), layout);
    EXPECT_EQ(layout.flattenInputs("i").flattenOutputs("o").columns(), layout.columns());
  }
}

TEST(LinearLayout, Sublayouts) {
  LinearLayout layout({Input{"register", {{1, 0}, {0, 0}}}, Input{"lane", {{2, 0}, {0, 1}}}},
                      {Output{"dim0", 4}, Output{"dim1", 2}});
  EXPECT_TRUE(layout.sublayoutIsZero({"register"}, {"dim1"}));
  EXPECT_FALSE(layout.sublayoutIsZero({"lane"}, {"dim1"}));
  EXPECT_EQ(layout.sublayout({"lane"}, {"dim1"}).columns(), (llvm::SmallVector<uint64_t>{0, 1}));
  EXPECT_EQ(layout.removeZeroBases("register").inputSize("register"), 2);
  EXPECT_EQ(layout.orderOutputs({"dim1", "dim0"}).outputs().front().name, "dim1");
}

TEST(LinearLayout, Printing) {
  LinearLayout layout({Input{"register", {{0, 1}}}, Input{"lane", {{1, 0}, {0, 0}}}},
                      {Output{"dim0", 2}, Output{"dim1", 2}});
  EXPECT_EQ(layout.str(), "register: (0, 1)\nlane: (1, 0) (0, 0)\noutputs: dim0 2 dim1 2\n");
  EXPECT_EQ(layout.table(), "r0:l0|r0:l2, r1:l0|r1:l2\nr0:l1|r0:l3, r1:l1|r1:l3\n");
}

} // namespace
} // namespace triton::layout
