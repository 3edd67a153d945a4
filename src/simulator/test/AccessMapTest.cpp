#include "simulator/core/AccessMap.h"

#include <gtest/gtest.h>

using namespace triton::simulator;

namespace {

constexpr uintptr_t begin = 0x10000;

AccessMap mapOf(std::size_t bytes) { return AccessMap({{"later", 2 * begin, 64}, {"x", begin, bytes}}, 128); }

TEST(AccessMap, AreasAreSmallEnoughToDraw) {
  AccessMap map = mapOf(100);
  ASSERT_EQ(map.areas.size(), 3U);
  EXPECT_EQ(map.areas[0].name, "x");
  EXPECT_EQ(&map.areaAt(2 * begin), &map.areas[1]);
  EXPECT_TRUE(map.sharedArea().isShared);
  EXPECT_EQ(map.areas[0].cells.size(), 25U);
  EXPECT_EQ(mapOf(1 << 20).areas[0].cellBytes, 256U);
  EXPECT_EQ(mapOf(1 << 20).areas[0].cells.size(), 4096U);
}

TEST(AccessMap, CellsKnowWhoCameBy) {
  AccessMap map = mapOf(100);
  AccessMap::Area &area = map.areaAt(begin);
  map.note(area, {/*offset=*/4, /*bytes=*/8, /*program=*/3, /*location=*/7, /*writes=*/false});
  map.note(area, {8, 4, 1, 9, true});
  EXPECT_EQ(area.cells[0].reads, 0U);
  EXPECT_EQ(area.cells[1].reads, 1U);
  EXPECT_EQ(area.cells[1].writes, 0U);
  const AccessMap::Cell &both = area.cells[2];
  EXPECT_EQ(both.reads, 1U);
  EXPECT_EQ(both.writes, 1U);
  EXPECT_EQ(both.firstProgram, 1U);
  EXPECT_EQ(both.lastProgram, 3U);
  EXPECT_EQ(both.places, (llvm::SmallVector<uint32_t, 2>{7, 9}));
  EXPECT_TRUE(area.outside.empty());
}

TEST(AccessMap, WhatLiesOutsideHasCellsOfItsOwn) {
  AccessMap map = mapOf(98); // the last cell is not full
  AccessMap::Area &area = map.areaAt(begin);
  for (int64_t offset : {-4, 98, 1000}) {
    map.note(area, {offset, 2, 0, 5, true});
    map.noteError(area, {offset, 2, 0, 5, true}, FindingKind::OutOfBounds);
  }
  EXPECT_EQ(area.cells.back().writes, 0U);
  ASSERT_EQ(area.outside.size(), 3U);
  for (int64_t number : {-1, 25, 250})
    EXPECT_EQ(area.outside.at(number).errors, (llvm::SmallVector<FindingKind, 1>{FindingKind::OutOfBounds}));
}

} // namespace
