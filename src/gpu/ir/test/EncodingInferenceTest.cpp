// Operations on shapes move no data. Checks, element by element, the layouts that their results get.
#include "ir/EncodingInference.h"
#include "gpu/ir/Dialect.h"
#include "layout/Constructors.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace mlir;

namespace triton::ttg {
namespace {

using layout::LinearLayout;

class EncodingInference : public testing::Test {
protected:
  EncodingInference() {
    context.loadDialect<TritonGPUDialect>();
    inference = context.getLoadedDialect<TritonGPUDialect>()->getRegisteredInterface<tt::EncodingInferenceInterface>();
  }

  /// A tensor of `rank` dimensions and up to 2^9 elements, spread over up to 8 warps, perhaps through a slice.
  void pick(unsigned rank) {
    shape.clear();
    for (unsigned dimension = 0; dimension < rank; ++dimension)
      shape.push_back(int64_t(1) << random() % (9 / rank + 1));
    bool isSlice = random() % 3 == 0;
    unsigned parentRank = rank + (isSlice ? 1 : 0);
    SmallVector<unsigned> size(parentRank, 1), threads(parentRank, 1), warps(parentRank, 1), order(parentRank);
    for (unsigned bit = 0; bit < 5; ++bit)
      threads[random() % parentRank] *= 2;
    for (unsigned bit = random() % 4; bit-- > 0;)
      warps[random() % parentRank] *= 2;
    for (unsigned bit = random() % 4; bit-- > 0;)
      size[random() % parentRank] *= 2;
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    encoding = BlockedEncodingAttr::get(&context, size, threads, warps, order);
    if (isSlice)
      encoding = SliceEncodingAttr::get(&context, unsigned(random() % parentRank), encoding);
  }

  /// Calls `check` with the coordinates, before and after, of the element in every register of every thread.
  void forEachHolder(const LinearLayout &before, const LinearLayout &after,
                     llvm::function_ref<void(llvm::ArrayRef<int32_t>, llvm::ArrayRef<int32_t>)> check) {
    for (llvm::StringRef input : {"register", "lane", "warp"})
      ASSERT_EQ(before.inputSize(input), after.inputSize(input)) << input.str();
    auto coordinates = [](const layout::Point &point) {
      return llvm::map_to_vector(point, [](const auto &coordinate) { return coordinate.second; });
    };
    for (int32_t reg = 0; reg < before.inputSize("register"); ++reg)
      for (int32_t lane = 0; lane < 32; ++lane)
        for (int32_t warp = 0; warp < before.inputSize("warp"); ++warp) {
          layout::Point at{{"register", reg}, {"lane", lane}, {"warp", warp}};
          check(coordinates(before.apply(at)), coordinates(after.apply(at)));
        }
  }

  static int64_t rowMajor(llvm::ArrayRef<int32_t> coordinates, llvm::ArrayRef<int64_t> shape) {
    int64_t position = 0;
    for (auto [coordinate, extent] : llvm::zip_equal(coordinates, shape))
      position = position * extent + coordinate;
    return position;
  }

  static constexpr unsigned rounds = 100;
  MLIRContext context;
  const tt::EncodingInferenceInterface *inference;
  std::mt19937 random{5};
  SmallVector<int64_t> shape;
  Attribute encoding;
};

TEST_F(EncodingInference, TranspositionsPermuteCoordinates) {
  for (unsigned round = 0; round < rounds; ++round) {
    pick(1 + random() % 3);
    SmallVector<int32_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    SmallVector<int64_t> permuted;
    for (int32_t source : order)
      permuted.push_back(shape[source]);
    Attribute result = inference->transpose(shape, encoding, order);
    forEachHolder(toLinearLayout(shape, encoding), toLinearLayout(permuted, result), [&](auto before, auto after) {
      for (auto [dimension, source] : llvm::enumerate(order))
        ASSERT_EQ(after[dimension], before[source]);
    });
  }
}

TEST_F(EncodingInference, ReshapesKeepPositionsInRowMajorOrder) {
  for (unsigned round = 0; round < rounds; ++round) {
    pick(1 + random() % 3);
    int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    SmallVector<int64_t> target;
    for (int64_t rest = elements; rest > 1 || target.empty(); rest /= target.back())
      target.push_back(std::min(rest, int64_t(1) << random() % 5));
    Attribute result = inference->reshape(shape, encoding, target);
    forEachHolder(toLinearLayout(shape, encoding), toLinearLayout(target, result),
                  [&](auto before, auto after) { ASSERT_EQ(rowMajor(before, shape), rowMajor(after, target)); });
    // the inverse
    EXPECT_TRUE(areLayoutsEquivalent(shape, inference->reshape(target, result, shape), encoding));
  }
}

TEST_F(EncodingInference, ExpansionsInsertACoordinateThatIsZero) {
  for (unsigned round = 0; round < rounds; ++round) {
    pick(1 + random() % 2);
    auto axis = unsigned(random() % (shape.size() + 1));
    SmallVector<int64_t> expanded(shape);
    expanded.insert(expanded.begin() + axis, 1);
    Attribute result = inference->expandDims(shape, encoding, axis);
    forEachHolder(toLinearLayout(shape, encoding), toLinearLayout(expanded, result), [&](auto before, auto after) {
      SmallVector<int32_t> expected(before);
      expected.insert(expected.begin() + axis, 0);
      ASSERT_EQ(SmallVector<int32_t>(after), expected);
    });
    EXPECT_TRUE(areLayoutsEquivalent(shape, inference->reduce(expanded, result, axis), encoding));
  }
}

TEST_F(EncodingInference, JoinedHalvesAreNeighboursInAThread) {
  for (unsigned round = 0; round < rounds; ++round) {
    pick(1 + random() % 2);
    SmallVector<int64_t> joinedShape(shape);
    joinedShape.push_back(2);
    Attribute joined = inference->join(shape, encoding);
    LinearLayout before = toLinearLayout(shape, encoding), after = toLinearLayout(joinedShape, joined);
    ASSERT_EQ(after.inputSize("register"), 2 * before.inputSize("register"));
    for (int32_t reg = 0; reg < after.inputSize("register"); ++reg)
      for (int32_t lane : {0, 1, 9, 31}) {
        layout::Point expected = before.apply({{"register", reg / 2}, {"lane", lane}});
        expected.push_back({layout::dimensionName(unsigned(shape.size())), reg % 2});
        EXPECT_EQ(after.apply({{"register", reg}, {"lane", lane}}), expected);
      }
    EXPECT_TRUE(areLayoutsEquivalent(shape, inference->split(joinedShape, joined), encoding));
  }
}

TEST_F(EncodingInference, OnlyWholeRegistersSplit) {
  auto blocked = [&](llvm::ArrayRef<unsigned> size, llvm::ArrayRef<unsigned> threads) {
    return BlockedEncodingAttr::get(&context, size, threads, {1, 1}, {1, 0});
  };
  EXPECT_TRUE(inference->split({64, 2}, blocked({1, 2}, {32, 1})));
  EXPECT_FALSE(inference->split({64, 2}, blocked({1, 1}, {16, 2})));
}

} // namespace
} // namespace triton::ttg
