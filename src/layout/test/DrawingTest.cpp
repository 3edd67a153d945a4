// Tables and pictures of layouts. The count of bank conflicts is compared with enumeration.
#include "layout/Drawing.h"
#include "layout/Constructors.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace triton::layout {
namespace {

LinearLayout smallBlocked() { return blocked({4, 8}, {{1, 2}, {2, 2}, {2, 1}, {1, 0}}); }

unsigned countOf(const std::string &text, const std::string &part) {
  unsigned count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Drawing, TableOfADistributedLayout) {
  EXPECT_EQ(drawText({smallBlocked(), "blocked", 32}), "blocked\n"
                                                       "each cell: warp:lane:register, +n for n copies\n"
                                                       "      0     1     2     3     4     5     6     7\n"
                                                       "0 0:0:0 0:0:1 0:1:0 0:1:1 0:0:2 0:0:3 0:1:2 0:1:3\n"
                                                       "1 0:2:0 0:2:1 0:3:0 0:3:1 0:2:2 0:2:3 0:3:2 0:3:3\n"
                                                       "2 1:0:0 1:0:1 1:1:0 1:1:1 1:0:2 1:0:3 1:1:2 1:1:3\n"
                                                       "3 1:2:0 1:2:1 1:3:0 1:3:1 1:2:2 1:2:3 1:3:2 1:3:3\n");
}

TEST(Drawing, TableOfCopiesAndLeadingDimensions) {
  LinearLayout layout = blocked({2, 1, 2}, {{1, 1, 1}, {1, 1, 4}, {1, 1, 1}, {2, 1, 0}});
  EXPECT_EQ(drawText({layout, "copies", 32}), "copies\n"
                                              "each cell: warp:lane:register, +n for n copies\n"
                                              "\n[0, :, :]\n"
                                              "        0       1\n"
                                              "0 0:0:0+1 0:1:0+1\n"
                                              "\n[1, :, :]\n"
                                              "        0       1\n"
                                              "0 0:0:1+1 0:1:1+1\n");
}

TEST(Drawing, LongVectorIsCutIntoRows) {
  LinearLayout layout = blocked({64}, {{2}, {32}, {1}, {0}});
  std::string table = drawText({layout, "vector", 32});
  EXPECT_NE(table.find("\n32 0:16:0 0:16:1 0:17:0"), std::string::npos) << table;
  std::string framed = drawSvg({layout, "vector", 32}, [](const Point &point) { return point == Point{{"dim0", 33}}; });
  EXPECT_EQ(countOf(framed, "class=\"m\""), 1u);
  std::string cell = framed.substr(framed.find("class=\"m\""));
  EXPECT_LT(cell.find(">T16<"), cell.find(">T17<"));
  EXPECT_LT(cell.find(">r1<"), cell.find(">r0<"));
}

TEST(Drawing, LongTitleIsWrapped) {
  std::string title;
  for (int i = 0; i < 40; ++i)
    title += "number" + std::to_string(i) + ", ";
  std::string picture = drawSvg({smallBlocked(), title + "end", 32});
  EXPECT_GT(countOf(picture, "class=\"h\""), 4u);
  EXPECT_NE(picture.find(", end</text>"), std::string::npos);
}

TEST(Drawing, TableOfSharedMemory) {
  EXPECT_EQ(drawText({swizzledShared(2, 4, 2, 1, 2), "shared", 16}), "shared\n"
                                                                     "each cell: offset in elements, bank\n"
                                                                     "     0    1    2    3\n"
                                                                     "0 0 b0 1 b0 2 b1 3 b1\n"
                                                                     "1 6 b3 7 b3 4 b2 5 b2\n");
}

TEST(Drawing, BlocksOfAClusterAreTold) {
  Input block{"block", {{1}}};
  LinearLayout cluster = blocked({2}, {{1}, {2}, {1}, {0}}) * LinearLayout({block}, {Output{"dim0", 2}});
  EXPECT_EQ(drawText({cluster, "cluster", 32}), "cluster\n"
                                                "each cell: block:warp:lane:register, +n for n copies\n"
                                                "        0       1       2       3\n"
                                                "0 0:0:0:0 0:0:1:0 1:0:0:0 1:0:1:0\n");
  std::string picture = drawSvg({cluster, "cluster", 32});
  EXPECT_NE(picture.find(">warp 1:0<"), std::string::npos);
  // Each block has its own memory.
  LinearLayout shared =
      swizzledShared(2, 2, 1, 1, 1) * LinearLayout({Input{"block", {{1, 0}}}}, {Output{"dim0", 2}, Output{"dim1", 1}});
  EXPECT_EQ(drawText({shared, "shared", 32}), "shared\n"
                                              "each cell: block:offset in elements, bank\n"
                                              "       0      1\n"
                                              "0 0:0 b0 0:1 b1\n"
                                              "1 0:2 b2 0:3 b3\n"
                                              "2 1:0 b0 1:1 b1\n"
                                              "3 1:2 b2 1:3 b3\n");
}

TEST(Drawing, PictureHasACellForEachElement) {
  std::string picture = drawSvg({smallBlocked(), "a<b", 32});
  EXPECT_EQ(countOf(picture, "<rect class=\"c\""), 4u * 8 + 2); // and one for each warp in the legend
  EXPECT_NE(picture.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(countOf(picture, "<text"), countOf(picture, "</text>"));
  std::string framed = drawSvg({swizzledShared(2, 4, 2, 1, 2), "shared", 16},
                               [](const Point &point) { return point == Point{{"dim0", 1}, {"dim1", 3}}; });
  EXPECT_EQ(countOf(framed, "<rect class=\"m\""), 1u);
}

/// Wavefronts that one instruction takes for the lanes of one wavefront: the most distinct words in a bank.
unsigned countConflicts(const LinearLayout &distributed, const LinearLayout &shared, unsigned elementBytes,
                        const SharedAccess &access) {
  LinearLayout offsets = distributed.compose(*shared.inverse());
  std::map<unsigned, std::set<unsigned>> wordsOfBank;
  for (unsigned lane = 0; lane < access.lanes; ++lane) {
    unsigned first = unsigned(offsets.apply({{"lane", int32_t(lane)}})[0].second) * elementBytes;
    for (unsigned byte = 0; byte < access.vectorBytes; ++byte)
      wordsOfBank[(first + byte) / 4 % 32].insert((first + byte) / 4);
  }
  std::size_t most = 0;
  for (const auto &[bank, words] : wordsOfBank)
    most = std::max(most, words.size());
  return unsigned(most);
}

/// A shuffled assignment of the bits of a tensor to registers, lanes and warps, with some copies.
LinearLayout randomDistributed(std::mt19937 &random, unsigned rowBits, unsigned columnBits) {
  std::vector<Basis> bases;
  bases.reserve(rowBits + columnBits);
  for (unsigned bit = 0; bit < rowBits; ++bit)
    bases.push_back({1 << bit, 0});
  for (unsigned bit = 0; bit < columnBits; ++bit)
    bases.push_back({0, 1 << bit});
  std::shuffle(bases.begin(), bases.end(), random);
  if (random() % 2)
    bases[0] = {bases[0][0] | bases[1][0], bases[0][1] | bases[1][1]};
  std::vector<Basis> lanes(bases.end() - 5, bases.end());
  bases.resize(bases.size() - 5);
  if (random() % 4 == 0)
    lanes[random() % 5] = {0, 0};
  return LinearLayout({{"register", bases}, {"lane", lanes}, {"warp", {}}, {"block", {}}},
                      {{"dim0", 1 << rowBits}, {"dim1", 1 << columnBits}});
}

TEST(SharedAccess, DegreeIsWhatEnumerationCounts) {
  std::mt19937 random(1);
  std::set<unsigned> degrees, vectors;
  for (unsigned round = 0; round < 3000; ++round) {
    unsigned elementBytes = 1u << random() % 4;
    LinearLayout shared = swizzledShared(32, 64, 1 << random() % 4, 1 << random() % 3, 1 << random() % 4);
    LinearLayout distributed = randomDistributed(random, 5, 6);
    SharedAccess access = analyzeSharedAccess(distributed, shared, elementBytes * 8);
    ASSERT_EQ(access.degree, countConflicts(distributed, shared, elementBytes, access)) << distributed.str();
    degrees.insert(access.degree);
    vectors.insert(access.vectorBytes);
  }
  EXPECT_GE(degrees.size(), 4u);
  EXPECT_TRUE(vectors.count(16));
}

/// Rows of fp16 that are read in the way of ldmatrix: 16 bytes for each lane, and eight rows for the eight lanes of a
/// wavefront.
TEST(SharedAccess, SwizzledRowsOfMatricesAreFreeOfConflicts) {
  const std::pair<int32_t, unsigned> unswizzled[] = {{16, 2}, {32, 4}, {64, 8}, {128, 8}, {256, 8}};
  for (auto [columns, conflicts] : unswizzled) {
    LinearLayout rows = LinearLayout::identity(8, "register", "dim1") * LinearLayout::identity(8, "lane", "dim0") *
                        LinearLayout::identity(columns / 8, "register", "dim1");
    rows = rows.orderOutputs({"dim0", "dim1"});
    int32_t rowBytes = columns * 2, perPhase = std::max(1, 128 / rowBytes), maxPhase = std::max(1, 8 / perPhase);
    EXPECT_EQ(analyzeSharedAccess(rows, swizzledShared(8, columns, 8, 1, 1), 16).degree, conflicts) << columns;
    EXPECT_EQ(analyzeSharedAccess(rows, swizzledShared(8, columns, 8, perPhase, maxPhase), 16).degree, 1u) << columns;
  }
}

} // namespace
} // namespace triton::layout
