// The layouts of encodings. The fragments of mma.sync are compared with PTX's formulas, and properties are checked that
// hold for every shape.
#include "gpu/ir/Dialect.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace mlir;

namespace triton::ttg {
namespace {

using layout::LinearLayout;

class EncodingLayouts : public testing::Test {
protected:
  EncodingLayouts() { context.loadDialect<TritonGPUDialect>(); }

  NvidiaMmaEncodingAttr matrix(llvm::ArrayRef<unsigned> warps) {
    SmallVector<unsigned> instruction(warps.size() - 2, 1);
    instruction.append({16, 8});
    return NvidiaMmaEncodingAttr::get(&context, 2, 0, warps, instruction);
  }
  DotOperandEncodingAttr operand(unsigned index, Attribute parent, unsigned kWidth) {
    return DotOperandEncodingAttr::get(&context, index, parent, kWidth);
  }

  MLIRContext context;
};

/// The coordinates at (register, lane, warp).
SmallVector<int32_t> at(const LinearLayout &layout, int32_t reg, int32_t lane, int32_t warp = 0) {
  SmallVector<int32_t> coordinates;
  for (const auto &[name, value] : layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}))
    coordinates.push_back(value);
  return coordinates;
}

// PTX: row = lane >> 2 (+ 8 for registers 2, 3), column = (lane & 3) * 2 + (register & 1).
TEST_F(EncodingLayouts, AccumulatorFragment) {
  LinearLayout layout = toLinearLayout({16, 8}, matrix({1, 1}));
  ASSERT_EQ(layout.inputSize("register"), 4);
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t reg = 0; reg < 4; ++reg)
      EXPECT_EQ(at(layout, reg, lane),
                (SmallVector<int32_t>{(lane >> 2) + (reg >= 2 ? 8 : 0), (lane & 3) * 2 + (reg & 1)}));
}

// AMD's matrix instruction calculator. Results: column = lane % R, row = 8 (s / 4) + 4 (lane / R) + s % 4 for R = 32,
// and 4 (lane / R) + s for R = 16; rows and columns are exchanged in transposed results. Operands: row = lane % R, k =
// width (lane / R) + s.
TEST_F(EncodingLayouts, MfmaFragments) {
  for (int32_t extent : {16, 32})
    for (bool isTransposed : {false, true}) {
      auto encoding =
          AmdMfmaEncodingAttr::get(&context, 3, {1, 1}, {unsigned(extent), unsigned(extent), 16}, isTransposed, 32);
      LinearLayout result = toLinearLayout({extent, extent}, encoding);
      ASSERT_EQ(result.inputSize("register"), extent * extent / 64);
      int32_t groups = 64 / extent, width = 4;
      LinearLayout left = toLinearLayout({extent, groups * width}, operand(0, encoding, width)),
                   right = toLinearLayout({groups * width, extent}, operand(1, encoding, width));
      for (int32_t lane = 0; lane < 64; ++lane) {
        for (int32_t slot = 0; slot < extent * extent / 64; ++slot) {
          SmallVector<int32_t> expected{4 * groups * (slot / 4) + 4 * (lane / extent) + slot % 4, lane % extent};
          if (isTransposed)
            std::swap(expected[0], expected[1]);
          EXPECT_EQ(at(result, slot, lane), expected);
        }
        for (int32_t slot = 0; slot < width; ++slot) {
          int32_t k = width * (lane / extent) + slot;
          EXPECT_EQ(at(left, slot, lane), (SmallVector<int32_t>{lane % extent, k}));
          EXPECT_EQ(at(right, slot, lane), (SmallVector<int32_t>{k, lane % extent}));
        }
      }
    }
}

// f64: row = 4 s + lane / 16.
TEST_F(EncodingLayouts, MfmaFragmentOfDoubles) {
  LinearLayout layout = toLinearLayout({16, 16}, AmdMfmaEncodingAttr::get(&context, 3, {1, 1}, {16, 16, 4}, false, 64));
  for (int32_t lane = 0; lane < 64; ++lane)
    for (int32_t slot = 0; slot < 4; ++slot)
      EXPECT_EQ(at(layout, slot, lane), (SmallVector<int32_t>{4 * slot + lane / 16, lane % 16}));
}

// gfx11: column = lane % 16, row = 2 s + lane / 16, and both halves of a warp hold the operands. gfx12: row = 8 (lane /
// 16)
// + s, k = 8 (lane / 16) + s.
TEST_F(EncodingLayouts, WmmaFragments) {
  for (int32_t version : {1, 2}) {
    auto encoding = AmdWmmaEncodingAttr::get(&context, unsigned(version), false, {1, 1}, {16, 16, 16});
    LinearLayout result = toLinearLayout({16, 16}, encoding);
    int32_t width = version == 1 ? 16 : 8;
    LinearLayout left = toLinearLayout({16, 16}, operand(0, encoding, unsigned(width)));
    for (int32_t lane = 0; lane < 32; ++lane) {
      for (int32_t slot = 0; slot < 8; ++slot) {
        int32_t row = version == 1 ? 2 * slot + lane / 16 : 8 * (lane / 16) + slot;
        EXPECT_EQ(at(result, slot, lane), (SmallVector<int32_t>{row, lane % 16}));
      }
      for (int32_t slot = 0; slot < width; ++slot)
        EXPECT_EQ(at(left, slot, lane), (SmallVector<int32_t>{lane % 16, width * (lane / 16) % 16 + slot}));
    }
  }
}

/// The fragments of one operand of bits-wide elements: a 32-bit register holds E = 32 / bits consecutive k.
struct OperandForm {
  unsigned bits;
  int32_t k; ///< of one instruction
};
constexpr OperandForm forms[] = {{32, 8}, {16, 16}, {8, 32}};

// Section "matrix fragments" of PTX in one rule: element bits, then lanes 0, 1 along K; lanes 2-4 along M or N;
// register 0 to row 8 (A) and the last register bit to the second half of K.
TEST_F(EncodingLayouts, OperandFragments) {
  for (OperandForm form : forms) {
    auto elements = int32_t(32 / form.bits);
    LinearLayout a = toLinearLayout({16, form.k}, operand(0, matrix({1, 1}), unsigned(elements)));
    LinearLayout b = toLinearLayout({form.k, 8}, operand(1, matrix({1, 1}), unsigned(elements)));
    ASSERT_EQ(a.inputSize("register"), 4 * elements);
    ASSERT_EQ(b.inputSize("register"), 2 * elements);
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t element = 0; element < elements; ++element) {
        int32_t group = lane >> 2, k = (lane & 3) * elements + element;
        for (int32_t reg = 0; reg < 4; ++reg)
          EXPECT_EQ(at(a, reg * elements + element, lane),
                    (SmallVector<int32_t>{group + (reg & 1) * 8, k + (reg >> 1) * 4 * elements}));
        for (int32_t reg = 0; reg < 2; ++reg)
          EXPECT_EQ(at(b, reg * elements + element, lane), (SmallVector<int32_t>{k + reg * 4 * elements, group}));
      }
  }
}

// The warps of the accumulator are numbered with the last dimension fastest; operand A is copied along columns, B along
// rows.
TEST_F(EncodingLayouts, WarpsOfMatrices) {
  NvidiaMmaEncodingAttr parent = matrix({2, 4});
  LinearLayout c = toLinearLayout({64, 64}, parent), a = toLinearLayout({64, 32}, operand(0, parent, 2)),
               b = toLinearLayout({32, 64}, operand(1, parent, 2));
  for (int32_t warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(at(c, 0, 0, warp), (SmallVector<int32_t>{warp / 4 * 16, warp % 4 * 8}));
    EXPECT_EQ(at(a, 0, 0, warp), (SmallVector<int32_t>{warp / 4 * 16, 0}));
    EXPECT_EQ(at(b, 0, 0, warp), (SmallVector<int32_t>{0, warp % 4 * 8}));
  }
}

/// Checks that for every product which contributes to a thread's accumulator, its warp holds the factors: the rows of A
/// and columns of B that a warp holds are those of its part of C, and each group of its lanes holds all of K.
void expectOperandsSuit(const LinearLayout &c, const LinearLayout &a, const LinearLayout &b, unsigned rank) {
  for (int32_t warp = 0; warp < c.inputSize("warp"); ++warp) {
    auto collect = [&](const LinearLayout &layout, unsigned dimension) {
      std::set<std::vector<int32_t>> held;
      for (int32_t lane = 0; lane < 32; ++lane)
        for (int32_t reg = 0; reg < layout.inputSize("register"); ++reg) {
          auto coordinates = at(layout, reg, lane, warp);
          std::vector<int32_t> key(coordinates.begin(), coordinates.begin() + (rank - 2));
          key.push_back(coordinates[dimension]);
          held.insert(key);
        }
      return held;
    };
    EXPECT_EQ(collect(c, rank - 2), collect(a, rank - 2)) << "rows of warp " << warp;
    EXPECT_EQ(collect(c, rank - 1), collect(b, rank - 1)) << "columns of warp " << warp;
    EXPECT_EQ(collect(a, rank - 1), collect(b, rank - 2)) << "K of warp " << warp;
  }
}

TEST_F(EncodingLayouts, OperandsSuitTheAccumulator) {
  for (const SmallVector<unsigned> &warps : {SmallVector<unsigned>{1, 1}, {4, 1}, {2, 2}, {1, 4}, {2, 4}})
    for (int64_t m : {16, 32, 128})
      for (int64_t n : {8, 16, 64})
        for (int64_t k : {8, 16, 64})
          for (unsigned kWidth : {1u, 2u, 4u}) {
            if (k < 8 * kWidth)
              continue;
            NvidiaMmaEncodingAttr parent = matrix(warps);
            LinearLayout c = toLinearLayout({m, n}, parent), a = toLinearLayout({m, k}, operand(0, parent, kWidth)),
                         b = toLinearLayout({k, n}, operand(1, parent, kWidth));
            EXPECT_TRUE(c.isSurjective() && a.isSurjective() && b.isSurjective());
            // The registers hold what each warp covers, distributed over 32 lanes; a tile is at least 16 x 8.
            EXPECT_EQ(c.inputSize("register"), std::max<int64_t>(16, m / std::min<int64_t>(warps[0], m / 16)) *
                                                   std::max<int64_t>(8, n / std::min<int64_t>(warps[1], n / 8)) / 32);
            EXPECT_EQ(a.inputSize("register"), m / std::min<int64_t>(warps[0], m / 16) * k / 32);
            EXPECT_EQ(b.inputSize("register"), n / std::min<int64_t>(warps[1], n / 8) * k / 32);
            expectOperandsSuit(c, a, b, 2);
          }
}

TEST_F(EncodingLayouts, BatchesOfMatrices) {
  for (const SmallVector<unsigned> &warps : {SmallVector<unsigned>{1, 2, 2}, {2, 2, 1}, {4, 1, 1}})
    for (int64_t batch : {1, 2, 8}) {
      NvidiaMmaEncodingAttr parent = matrix(warps);
      LinearLayout c = toLinearLayout({batch, 32, 32}, parent),
                   a = toLinearLayout({batch, 32, 16}, operand(0, parent, 2)),
                   b = toLinearLayout({batch, 16, 32}, operand(1, parent, 2));
      EXPECT_TRUE(c.isSurjective() && a.isSurjective() && b.isSurjective());
      expectOperandsSuit(c, a, b, 3);
    }
}

// If K is smaller than a tile, lanes hold copies, and nothing is missing.
TEST_F(EncodingLayouts, ShortInnerDimensions) {
  for (unsigned kWidth : {1u, 2u, 4u})
    for (int64_t k = 1; k <= 8 * kWidth; k *= 2)
      for (unsigned index : {0u, 1u}) {
        SmallVector<int64_t> shape{index == 0 ? 32 : k, index == 0 ? k : 32};
        LinearLayout layout = toLinearLayout(shape, operand(index, matrix({2, 2}), kWidth));
        EXPECT_TRUE(layout.isSurjective());
        EXPECT_EQ(layout.inputSize("lane"), 32);
        EXPECT_EQ(layout.inputSize("warp"), 4);
        // A thread holds two 8-wide groups of the outer dimension, kWidth of K, and both halves of a whole tile.
        EXPECT_EQ(layout.inputSize("register"), 2 * std::min<int64_t>(k, kWidth) * (k == 8 * kWidth ? 2 : 1));
      }
}

// A tile of the 16-bit accumulator is operand A of the next product: no data moves.
TEST_F(EncodingLayouts, AccumulatorsFeedOperandA) {
  NvidiaMmaEncodingAttr parent = matrix({4, 1});
  for (int64_t n : {16, 64})
    EXPECT_TRUE(areLayoutsEquivalent({64, n}, operand(0, parent, 2), parent));
}

BlockedEncodingAttr randomBlocked(std::mt19937 &random, MLIRContext &context, unsigned rank) {
  SmallVector<unsigned> size(rank, 1), threads(rank, 1), warps(rank, 1), order(rank);
  for (unsigned bit = 0; bit < 5; ++bit)
    threads[random() % rank] *= 2;
  for (unsigned bit = random() % 4; bit-- > 0;)
    warps[random() % rank] *= 2;
  for (unsigned bit = random() % 4; bit-- > 0;)
    size[random() % rank] *= 2;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    order[dimension] = dimension;
  std::shuffle(order.begin(), order.end(), random);
  return BlockedEncodingAttr::get(&context, size, threads, warps, order);
}

SmallVector<int64_t> randomShape(std::mt19937 &random, unsigned rank) {
  SmallVector<int64_t> shape;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    shape.push_back(int64_t(1) << random() % 6);
  return shape;
}

// Properties of every distributed layout: every element has a holder; there are as many representatives as elements;
// the pseudo-inverse finds a holder; a slice is the parent without one coordinate.
TEST_F(EncodingLayouts, RandomBlockedLayouts) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 400; ++round) {
    unsigned rank = 1 + random() % 4;
    SmallVector<int64_t> shape = randomShape(random, rank);
    BlockedEncodingAttr encoding = randomBlocked(random, context, rank);
    LinearLayout layout = toLinearLayout(shape, encoding);
    ASSERT_TRUE(layout.isSurjective());
    EXPECT_EQ(layout.inputSize("lane"), 32);
    unsigned freeBits = 0;
    for (const auto &[name, mask] : layout.freeVariables())
      freeBits += unsigned(llvm::popcount(uint32_t(mask)));
    EXPECT_EQ(layout.inputBits() - freeBits, layout.outputBits());
    LinearLayout identity = layout.pseudoInverse()->compose(layout);
    EXPECT_TRUE(identity.isInvertible());
    for (auto [bit, column] : llvm::enumerate(identity.columns()))
      EXPECT_EQ(column, uint64_t(1) << bit);
    if (rank == 1)
      continue;
    unsigned axis = random() % rank;
    shape[axis] = 1;
    LinearLayout parent = toLinearLayout(shape, encoding);
    SmallVector<int64_t> sliced(shape);
    sliced.erase(sliced.begin() + axis);
    LinearLayout slice = toLinearLayout(sliced, SliceEncodingAttr::get(&context, axis, encoding));
    ASSERT_EQ(slice.inputSize("register"), parent.inputSize("register"));
    int32_t reg = int32_t(random() % unsigned(slice.inputSize("register"))), lane = int32_t(random() % 32);
    SmallVector<int32_t> expected = at(parent, reg, lane);
    expected.erase(expected.begin() + axis);
    EXPECT_EQ(at(slice, reg, lane), expected);
  }
}

// A linear encoding of a layout represents that layout.
TEST_F(EncodingLayouts, LinearEncodingsKeepTheLayout) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 200; ++round) {
    unsigned rank = 1 + random() % 3;
    SmallVector<int64_t> shape = randomShape(random, rank);
    LinearLayout layout = toLinearLayout(shape, randomBlocked(random, context, rank));
    EXPECT_EQ(toLinearLayout(shape, LinearEncodingAttr::get(&context, layout)), layout);
  }
}

// Shared memory contains every element exactly once, whatever the order of the dimensions and the leading dimensions of
// the buffer.
TEST_F(EncodingLayouts, SharedMemoryIsAPermutation) {
  for (SmallVector<unsigned> order : {SmallVector<unsigned>{1, 0}, {0, 1}, {2, 1, 0}, {1, 2, 0}})
    for (unsigned vec : {1u, 8u})
      for (unsigned phases : {1u, 8u}) {
        SmallVector<int64_t> shape{16, 32, 8};
        shape.resize(order.size());
        for (bool buffered : {false, true}) {
          if (buffered)
            shape.insert(shape.begin(), 4);
          auto encoding = SwizzledSharedEncodingAttr::get(&context, vec, 1, phases, order);
          LinearLayout layout = toLinearLayout(shape, encoding);
          EXPECT_TRUE(layout.isInvertible());
          // The fastest dimension is contiguous within a vector.
          if (vec == 8)
            for (int32_t offset = 0; offset < 8; ++offset)
              EXPECT_EQ(layout.apply({{"offset", offset}})[order[0] + (buffered ? 1 : 0)].second, offset);
        }
      }
}

/// The place of element (row, column) of a buffer at address 0, according to PTX's description for matrix units and
/// bulk copies: consecutive pieces of rows, each with all of its rows, and then the swizzle of the address.
int32_t nvmmaAddress(int32_t row, int32_t column, int32_t rows, int32_t width, int32_t bytes) {
  int32_t span = width == 0 ? 16 : width, inRow = column * bytes;
  int32_t address = inRow / span * rows * span + row * span + inRow % span;
  int32_t mask = width == 0 ? 0 : width / 16 - 1;
  return address ^ (((address >> 7) & mask) << 4);
}

TEST_F(EncodingLayouts, MatrixUnitsFindTheirRows) {
  for (int32_t width : {0, 32, 64, 128})
    for (int32_t bytes : {1, 2, 4})
      for (bool transposed : {false, true}) {
        auto encoding = NvmmaSharedEncodingAttr::get(&context, unsigned(width), transposed, unsigned(bytes) * 8);
        SmallVector<int64_t> shape{16, 256};
        if (transposed)
          std::swap(shape[0], shape[1]);
        LinearLayout layout = toLinearLayout(shape, encoding);
        ASSERT_TRUE(layout.isInvertible());
        LinearLayout inverse = *layout.inverse();
        for (int32_t row = 0; row < 16; ++row)
          for (int32_t column = 0; column < 256; ++column) {
            layout::Point point{{"dim0", transposed ? column : row}, {"dim1", transposed ? row : column}};
            ASSERT_EQ(inverse.apply(point).front().second * bytes, nvmmaAddress(row, column, 16, width, bytes))
                << "row " << row << " column " << column << " width " << width;
          }
      }
}

// Dimensions before the last two are rows if the encoding orders them, and slots of a ring if it does not.
TEST_F(EncodingLayouts, MatrixUnitsFindTheRowsOfBatches) {
  auto ordered = NvmmaSharedEncodingAttr::get(&context, 128, false, 16, /*rank=*/3, {});
  auto matrices = NvmmaSharedEncodingAttr::get(&context, 128, false, 16);
  LinearLayout together = *toLinearLayout({2, 16, 128}, ordered).inverse(),
               apart = *toLinearLayout({2, 16, 128}, matrices).inverse();
  for (int32_t batch : {0, 1})
    for (int32_t row = 0; row < 16; ++row)
      for (int32_t column = 0; column < 128; ++column) {
        layout::Point point{{"dim0", batch}, {"dim1", row}, {"dim2", column}};
        EXPECT_EQ(together.apply(point).front().second * 2, nvmmaAddress(batch * 16 + row, column, 32, 128, 2));
        EXPECT_EQ(apart.apply(point).front().second * 2, batch * 4096 + nvmmaAddress(row, column, 16, 128, 2));
      }
}

// A view with exchanged dimensions has the same elements at the same offsets.
TEST_F(EncodingLayouts, PermutedViewsKeepTheirPlaces) {
  for (Attribute encoding : {Attribute(SwizzledSharedEncodingAttr::get(&context, 8, 1, 8, {1, 0})),
                             Attribute(NvmmaSharedEncodingAttr::get(&context, 64, false, 16)),
                             Attribute(NvmmaSharedEncodingAttr::get(&context, 128, true, 16))}) {
    LinearLayout layout = toLinearLayout({64, 128}, encoding);
    Attribute permuted = cast<SharedEncodingInterface>(encoding).getPermuted({1, 0});
    LinearLayout view = toLinearLayout({128, 64}, permuted);
    for (int32_t offset = 0; offset < 64 * 128; ++offset) {
      auto here = layout.apply({{"offset", offset}}), there = view.apply({{"offset", offset}});
      ASSERT_EQ(here[0].second, there[1].second);
      ASSERT_EQ(here[1].second, there[0].second);
    }
    EXPECT_EQ(cast<SharedEncodingInterface>(permuted).getPermuted({1, 0}), encoding);
  }
  auto batched = NvmmaSharedEncodingAttr::get(&context, 128, false, 16, /*rank=*/3, {});
  EXPECT_EQ(batched.getPermuted({0, 2, 1}), NvmmaSharedEncodingAttr::get(&context, 128, true, 16, 3, {}));
  EXPECT_FALSE(batched.getPermuted({1, 0, 2})); // batches are not rows
}

//===----------------------------------------------------------------------===//
// Blocks of a cluster
//===----------------------------------------------------------------------===//

// Each block holds its part in the layout of a tensor with the part's shape.
TEST_F(EncodingLayouts, BlocksHaveTheirParts) {
  SmallVector<int32_t> bases{0, 1, 1, 0}; // two blocks beside each other, two pairs below each other
  auto one = BlockedEncodingAttr::get(&context, {1, 4}, {8, 4}, {2, 2}, {1, 0});
  auto four = BlockedEncodingAttr::get(&context, {1, 4}, {8, 4}, {2, 2}, {1, 0}, bases);
  LinearLayout part = toLinearLayout({32, 64}, one), all = toLinearLayout({64, 128}, four);
  EXPECT_EQ(all.inputSize("block"), 4);
  EXPECT_EQ(all.inputSize("register"), part.inputSize("register"));
  for (int32_t block = 0; block < 4; ++block)
    for (int32_t lane : {0, 5, 31}) {
      auto inPart = part.apply({{"register", 3}, {"lane", lane}, {"warp", 1}});
      auto inAll = all.apply({{"register", 3}, {"lane", lane}, {"warp", 1}, {"block", block}});
      EXPECT_EQ(inAll[0].second, inPart[0].second + 32 * (block >> 1));
      EXPECT_EQ(inAll[1].second, inPart[1].second + 64 * (block & 1));
    }
  // A tensor with fewer elements than parts has copies.
  EXPECT_EQ(toLinearLayout({64, 1}, four).sublayout({"block"}, {"dim1"}).rank(), 0u);
}

// Blocks that are side by side in a result share operand A, and those that are below each other share operand B. A sum
// over the columns is the same in both blocks of a row.
TEST_F(EncodingLayouts, BlocksShareWhatTheirResultsNeed) {
  auto result = NvidiaMmaEncodingAttr::get(&context, 2, 0, {2, 2}, {16, 8}, {0, 1, 1, 0});
  auto blockBases = [](const LinearLayout &layout) { return layout.findInput("block")->bases; };
  using Bases = decltype(blockBases(LinearLayout()));
  EXPECT_EQ(blockBases(toLinearLayout({128, 64}, result)), (Bases{{0, 32}, {64, 0}}));
  EXPECT_EQ(blockBases(toLinearLayout({128, 32}, operand(0, result, 2))), (Bases{{0, 0}, {64, 0}}));
  EXPECT_EQ(blockBases(toLinearLayout({32, 64}, operand(1, result, 2))), (Bases{{0, 32}, {0, 0}}));
  EXPECT_EQ(blockBases(toLinearLayout({128}, SliceEncodingAttr::get(&context, 1, result))), (Bases{{0}, {64}}));
}

TEST_F(EncodingLayouts, BlocksHaveBuffersOfTheirParts) {
  for (Attribute encoding : {Attribute(SwizzledSharedEncodingAttr::get(&context, 8, 1, 8, {1, 0}, {1, 0})),
                             Attribute(NvmmaSharedEncodingAttr::get(&context, 128, false, 16, 2, {1, 0}))}) {
    LinearLayout layout = toLinearLayout({64, 64}, encoding);
    EXPECT_EQ(layout.inputSize("offset"), 32 * 64);
    EXPECT_EQ(layout.inputSize("block"), 2);
    EXPECT_TRUE(layout.isInvertible());
    EXPECT_EQ(layout.apply({{"offset", 0}, {"block", 1}})[0].second, 32);
  }
}

// Operands of products on ordinary units contain all of K, and the rows or columns of the thread's results.
TEST_F(EncodingLayouts, OrdinaryOperandsHoldWhatTheResultNeeds) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 60; ++round) {
    BlockedEncodingAttr parent = randomBlocked(random, context, 2);
    int64_t m = int64_t(1) << random() % 6, n = int64_t(1) << random() % 6, k = int64_t(1) << random() % 5;
    LinearLayout c = toLinearLayout({m, n}, parent), a = toLinearLayout({m, k}, operand(0, parent, 0)),
                 b = toLinearLayout({k, n}, operand(1, parent, 0));
    for (int32_t lane : {0, 13, 31})
      for (int32_t warp = 0; warp < c.inputSize("warp"); ++warp) {
        std::set<std::pair<int32_t, int32_t>> heldA, heldB;
        for (int32_t reg = 0; reg < a.inputSize("register"); ++reg)
          heldA.insert({at(a, reg, lane, warp)[0], at(a, reg, lane, warp)[1]});
        for (int32_t reg = 0; reg < b.inputSize("register"); ++reg)
          heldB.insert({at(b, reg, lane, warp)[0], at(b, reg, lane, warp)[1]});
        for (int32_t reg = 0; reg < c.inputSize("register"); ++reg)
          for (int32_t inner = 0; inner < k; ++inner) {
            auto result = at(c, reg, lane, warp);
            ASSERT_TRUE(heldA.count({result[0], inner}) && heldB.count({inner, result[1]}));
          }
      }
  }
}

} // namespace
} // namespace triton::ttg
