// Instructions of AMD's GPUs that read the registers of other lanes.
#include "AmdgpuHarness.h"

namespace triton::simulator {
namespace {

/// Runs code that defines %y from %v, the lane's number plus 100, and the thread %t.
AmdgpuRun moveBy(llvm::StringRef code, const AmdgpuRun::Setup &setup = {}) {
  std::string body = "%v = add i32 %t, 100\n" + code.str() + "\n store i32 %y, ptr addrspace(1) %to\n ret void";
  return AmdgpuRun(body, setup);
}

AmdgpuRun moveByDpp(unsigned control, unsigned rows = 15, unsigned banks = 15, bool zeroes = true,
                    const AmdgpuRun::Setup &setup = {}) {
  return moveBy(
      llvm::formatv("%y = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %v, i32 {0}, i32 {1}, i32 {2}, i1 {3})",
                    control, rows, banks, zeroes ? "true" : "false")
          .str(),
      setup);
}

const AmdgpuRun::Setup narrow{.processor = "gfx1100", .threads = 32};

TEST(AmdgpuLanes, DppMovesWithinRows) {
  auto inRow = [](unsigned lane, unsigned place) { return 100 + lane / 16 * 16 + place; };
  moveByDpp(0x1b).expectOut([](unsigned l) { return 100 + (l ^ 3); });
  moveByDpp(0x102).expectOut([&](unsigned l) { return l % 16 < 14 ? inRow(l, l % 16 + 2) : 0; });
  moveByDpp(0x113).expectOut([&](unsigned l) { return l % 16 >= 3 ? inRow(l, l % 16 - 3) : 0; });
  moveByDpp(0x113, 15, 15, false).expectOut([&](unsigned l) { return l % 16 >= 3 ? inRow(l, l % 16 - 3) : 7; });
  moveByDpp(0x128).expectOut([](unsigned l) { return 100 + (l ^ 8); });
  moveByDpp(0x121).expectOut([&](unsigned l) { return inRow(l, (l + 15) % 16); });
  moveByDpp(0x140).expectOut([](unsigned l) { return 100 + (l ^ 15); });
  moveByDpp(0x141).expectOut([](unsigned l) { return 100 + (l ^ 7); });
  moveByDpp(0x155).expectOut([&](unsigned l) { return inRow(l, 5); });
  moveByDpp(0x163, 15, 15, true, narrow).expectOut([](unsigned l) { return 100 + (l ^ 3); });
}

TEST(AmdgpuLanes, DppMovesBetweenRows) {
  moveByDpp(0x130).expectOut([](unsigned l) { return l < 63 ? 101 + l : 0; });
  moveByDpp(0x134).expectOut([](unsigned l) { return 100 + (l + 1) % 64; });
  moveByDpp(0x138).expectOut([](unsigned l) { return l > 0 ? 99 + l : 0; });
  moveByDpp(0x13c).expectOut([](unsigned l) { return 100 + (l + 63) % 64; });
  moveByDpp(0x142, 0xa).expectOut([](unsigned l) { return l / 16 % 2 ? 100 + l / 16 * 16 - 1 : 7; });
  moveByDpp(0x143, 0xc).expectOut([](unsigned l) { return l < 32 ? 7 : 131; });
}

TEST(AmdgpuLanes, DppWritesRowsAndBanksOfItsMasks) {
  moveByDpp(0x140, 5, 6).expectOut([](unsigned l) {
    return l / 16 % 2 == 0 && l % 16 >= 4 && l % 16 < 12 ? 100 + (l ^ 15) : 7;
  });
}

TEST(AmdgpuLanes, DppReadsOnlyActiveLanes) {
  auto run = [](llvm::StringRef zeroes) {
    return AmdgpuRun(llvm::formatv(R"(
  %v = add i32 %t, 100
  store i32 55, ptr addrspace(1) %to
  %odd = trunc i32 %t to i1
  br i1 %odd, label %some, label %end
some:
  %y = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %v, i32 160, i32 15, i32 15, i1 {0})
  store i32 %y, ptr addrspace(1) %to
  br label %end
end:
  ret void)",
                                   zeroes)
                         .str());
  };
  // quad_perm [0,0,2,2]: odd lanes read even ones.
  run("true").expectOut([](unsigned l) { return l % 2 ? 0 : 55; });
  run("false").expectOut([](unsigned l) { return l % 2 ? 7 : 55; });
}

TEST(AmdgpuLanes, ProcessorsHaveTheirOwnControls) {
  auto refuses = [](unsigned control, llvm::StringRef processor) {
    std::string code =
        llvm::formatv(
            "%y = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %t, i32 {0}, i32 15, i32 15, i1 true)\n ret void",
            control)
            .str();
    return !AmdgpuRun::refusal(code, {.processor = processor}).empty();
  };
  EXPECT_TRUE(refuses(0x163, "gfx942"));
  EXPECT_FALSE(refuses(0x163, "gfx1201"));
  EXPECT_TRUE(refuses(0x130, "gfx1100"));
  EXPECT_TRUE(refuses(0x142, "gfx1100"));
  EXPECT_FALSE(refuses(0x142, "gfx90a"));
  EXPECT_FALSE(refuses(0x150, "gfx1100"));
  EXPECT_TRUE(refuses(0x100, "gfx942"));
  EXPECT_TRUE(refuses(0x132, "gfx942"));
}

TEST(AmdgpuLanes, LanesAreReadAndWritten) {
  moveBy("%y = call i32 @llvm.amdgcn.readlane.i32(i32 %v, i32 63)").expectOut([](unsigned) { return 163; });
  moveBy("%y = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v)").expectOut([](unsigned) { return 100; });
  for (const char *lane : {"readlane.i1(i1 %b, i32 9)", "readlane.i1(i1 %b, i32 8)", "readfirstlane.i1(i1 %b)"})
    moveBy("%b = icmp eq i32 %t, 9\n%c = call i1 @llvm.amdgcn." + std::string(lane) + "\n%y = zext i1 %c to i32")
        .expectOut([&](unsigned) { return llvm::StringRef(lane).contains("9)") ? 1 : 0; });
  moveBy("%y = call i32 @llvm.amdgcn.writelane.i32(i32 5, i32 9, i32 %v)").expectOut([](unsigned l) {
    return l == 9 ? 5 : 100 + l;
  });
  AmdgpuRun run(R"(
  %some = icmp ult i32 %t, 8
  br i1 %some, label %few, label %end
few:
  %y = call i32 @llvm.amdgcn.readlane.i32(i32 %t, i32 9)
  store i32 %y, ptr addrspace(1) %to
  br label %end
end:
  ret void)");
  run.expect(FindingKind::PartialWarp, "lane 9, whose value is read, is not here");
}

TEST(AmdgpuLanes, WideValuesMoveAsWhole) {
  AmdgpuRun(R"(
  %wide = zext i32 %t to i64
  %big = mul i64 %wide, 4294967297
  %moved = call i64 @llvm.amdgcn.update.dpp.i64(i64 0, i64 %big, i32 27, i32 15, i32 15, i1 true)
  %high = lshr i64 %moved, 32
  %y = trunc i64 %high to i32
  store i32 %y, ptr addrspace(1) %to
  ret void)")
      .expectOut([](unsigned l) { return l ^ 3; });
}

TEST(AmdgpuLanes, PermutationsThroughLds) {
  constexpr llvm::StringLiteral pull = "%x = xor i32 %t, 37\n%a = shl i32 %x, 2\n"
                                       "%y = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %v)",
                                push = "%m = mul i32 %t, 20\n"
                                       "%y = call i32 @llvm.amdgcn.ds.permute(i32 %m, i32 %v)";
  moveBy(pull).expectOut([](unsigned l) { return 100 + (l ^ 37); });
  moveBy(push).expectOut([](unsigned l) { return 100 + l * 13 % 64; });
  // The later generations permute the halves of 64 lanes separately.
  moveBy(pull, {.processor = "gfx1100", .features = "+wavefrontsize64"}).expectOut([](unsigned l) {
    return 100 + (l ^ 5);
  });
  moveBy("%y = call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 16415)").expectOut([](unsigned l) {
    return 100 + (l ^ 16);
  });
  moveBy("%y = call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 32795)").expectOut([](unsigned l) {
    return 100 + (l ^ 3);
  });
}

TEST(AmdgpuLanes, RowsAndHalvesChangePlaces) {
  constexpr llvm::StringLiteral otherRow =
      "%y = call i32 @llvm.amdgcn.permlanex16.i32(i32 0, i32 %v, i32 1985229328, i32 -19088744, i1 false, i1 false)";
  moveBy(otherRow, narrow).expectOut([](unsigned l) { return 100 + (l ^ 16); });
  moveBy("%y = call i32 @llvm.amdgcn.permlane16.i32(i32 0, i32 %v, i32 -19088744, i32 1985229328, i1 false, i1 false)",
         narrow)
      .expectOut([](unsigned l) { return 100 + (l ^ 8); });
  moveBy("%y = call i32 @llvm.amdgcn.permlane64.i32(i32 %v)", {.processor = "gfx1100", .features = "+wavefrontsize64"})
      .expectOut([](unsigned l) { return 100 + (l ^ 32); });
  auto swap = [](unsigned distance) {
    return llvm::formatv("%p = call {{ i32, i32 } @llvm.amdgcn.permlane{0}.swap(i32 %v, i32 %t, i1 false, i1 false)\n"
                         "%a = extractvalue {{ i32, i32 } %p, 0\n%b = extractvalue {{ i32, i32 } %p, 1\n"
                         "%s = shl i32 %b, 16\n%y = or i32 %a, %s",
                         distance)
        .str();
  };
  for (unsigned d : {16u, 32u})
    moveBy(swap(d), {.processor = "gfx950"}).expectOut([d](unsigned l) {
      return l & d ? (l - d) | l << 16 : (100 + l) | (100 + l + d) << 16;
    });
  EXPECT_NE(AmdgpuRun::refusal("%v = add i32 %t, 0\n" + swap(16) + "\n ret void"), "");
}

TEST(AmdgpuLanes, VotesAndReductions) {
  AmdgpuRun(R"(
  %c = icmp ult i32 %t, 40
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
  %high = lshr i64 %mask, 32
  %y = trunc i64 %high to i32
  store i32 %y, ptr addrspace(1) %to
  ret void)")
      .expectOut([](unsigned) { return 0xff; });
  EXPECT_NE(AmdgpuRun::refusal("%m = call i32 @llvm.amdgcn.ballot.i32(i1 true)\n ret void"), "");
  moveBy("%y = call i32 @llvm.amdgcn.ballot.i32(i1 true)", narrow).expectOut([](unsigned) { return ~0u; });
  moveBy("%y = call i32 @llvm.amdgcn.wave.reduce.add.i32(i32 %t, i32 0)").expectOut([](unsigned) { return 2016; });
  moveBy("%y = call i32 @llvm.amdgcn.wave.reduce.umax.i32(i32 %v, i32 0)").expectOut([](unsigned) { return 163; });
  moveBy("%n = sub i32 0, %v\n%y = call i32 @llvm.amdgcn.wave.reduce.min.i32(i32 %n, i32 0)").expectOut([](unsigned) {
    return uint32_t(-163);
  });
}

/// LLVM's own operation on the elements of one lane, which its vectorizer makes.
TEST(AmdgpuLanes, VectorsAreReduced) {
  auto reduce = [](llvm::StringRef operation) {
    return moveBy(llvm::formatv(R"(%a = insertelement <4 x i32> <i32 poison, i32 -3, i32 150, i32 9>, i32 %v, i32 0
%y = call i32 @llvm.vector.reduce.{0}.v4i32(<4 x i32> %a))",
                                operation)
                      .str());
  };
  reduce("add").expectOut([](unsigned l) { return 100 + l + 156; });
  reduce("smax").expectOut([](unsigned l) { return std::max(100 + l, 150u); });
  reduce("umin").expectOut([](unsigned) { return 9; });
  reduce("xor").expectOut([](unsigned l) { return (100 + l) ^ uint32_t(-3) ^ 150 ^ 9; });
}

} // namespace
} // namespace triton::simulator
