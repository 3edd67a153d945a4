// How kernels of AMD's GPUs access memory: barriers that order nothing without fences, buffer resources, and copies to
// LDS.
#include "AmdgpuHarness.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator {
namespace {

/// Each thread writes its word of `place` and reads the one of the next warp; between the two lie the lines of `order`.
std::string swapWords(llvm::StringRef space, llvm::StringRef order) {
  bool isShared = space == "3";
  return llvm::formatv(R"(
  %next.t = add i32 %t, 64
  %next = and i32 %next.t, 127
  %next.wide = zext i32 %next to i64
  %mine = getelementptr i32, ptr addrspace({0}) {1}, i64 %place
  %other = getelementptr i32, ptr addrspace({0}) {1}, i64 %next.wide
  store i32 %t, ptr addrspace({0}) %mine
  {2}
  %y = load i32, ptr addrspace({0}) %other
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                       space, isShared ? "@shared" : "%in", order)
      .str();
}

constexpr llvm::StringLiteral release = "fence syncscope(\"workgroup\") release\n",
                              acquire = "fence syncscope(\"workgroup\") acquire\n",
                              barrier = "call void @llvm.amdgcn.s.barrier()\n",
                              split = "call void @llvm.amdgcn.s.barrier.signal(i32 -1)\n"
                                      "call void @llvm.amdgcn.s.barrier.wait(i16 -1)\n";

TEST(AmdgpuMemory, BarriersOrderMemoryOnlyWithFences) {
  for (llvm::StringRef space : {"3", "1"}) {
    FindingKind race = space == "3" ? FindingKind::SharedRace : FindingKind::GlobalRace;
    auto run = [&](const llvm::Twine &order) { return AmdgpuRun(swapWords(space, order.str()), {.threads = 128}); };
    run(release + barrier + acquire).expectOut([](unsigned i) { return i ^ 64; });
    run(barrier).expect(race, "which another warp access");
    run(release + barrier).expect(race, "which another warp access");
    run(barrier + acquire).expect(race, "which another warp access");
    run(release + acquire).expect(race, "which another warp access");
    run(barrier + release + acquire).expect(race, "which another warp access");
    // Fences of a wider scope also serve, and those of a narrower one do not.
    run("fence syncscope(\"agent\") release\n" + barrier + "fence seq_cst\n").expectOut([](unsigned i) {
      return i ^ 64;
    });
    run("fence syncscope(\"wavefront\") release\n" + barrier + "fence syncscope(\"wavefront\") acquire\n")
        .expect(race, "which another warp access");
    run("fence syncscope(\"workgroup-one-as\") release\n" + barrier + "fence syncscope(\"workgroup-one-as\") acquire\n")
        .expectOut([](unsigned i) { return i ^ 64; });
  }
}

TEST(AmdgpuMemory, SplitBarriers) {
  AmdgpuRun::Setup setup{.processor = "gfx1201", .threads = 128};
  AmdgpuRun(swapWords("3", (release + split + acquire).str()), setup).expectOut([](unsigned i) { return i ^ 64; });
  AmdgpuRun(swapWords("3", split), setup).expect(FindingKind::SharedRace, "which another warp accessed");
  EXPECT_NE(AmdgpuRun::refusal(swapWords("3", split)), "");
}

TEST(AmdgpuMemory, NamedBarriers) {
  constexpr llvm::StringLiteral named =
      "call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) @barrier.1, i32 4)\n"
      "call void @llvm.amdgcn.s.barrier.wait(i16 1)\n";
  AmdgpuRun::Setup setup{.processor = "gfx1250", .threads = 128, .globals = R"(
@barrier.1 = internal addrspace(3) global target("amdgcn.named.barrier", 0) poison)"};
  AmdgpuRun(swapWords("3", (release + named + acquire).str()), setup).expectOut([](unsigned i) { return i ^ 64; });
  AmdgpuRun(swapWords("3", named), setup).expect(FindingKind::SharedRace, "which another warp accessed");
}

TEST(AmdgpuMemory, ReadsMustEndBeforeOthersWrite) {
  auto run = [](llvm::StringRef order) {
    return AmdgpuRun(llvm::formatv(R"(
  %mine = getelementptr i32, ptr addrspace(3) @shared, i64 %place
  %opposite.t = xor i32 %t, 64
  %opposite.wide = zext i32 %opposite.t to i64
  %opposite = getelementptr i32, ptr addrspace(3) @shared, i64 %opposite.wide
  store i32 %t, ptr addrspace(3) %mine
  {0} {1} {2}
  %y = load i32, ptr addrspace(3) %opposite
  {3}
  store i32 %y, ptr addrspace(3) %mine
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                                   release, barrier, acquire, order)
                         .str(),
                     {.threads = 128});
  };
  run(barrier).expect(FindingKind::SharedRace, "write of shared bytes");
  run((release + barrier + acquire).str()).expectOut([](unsigned i) { return i ^ 64; });
}

TEST(AmdgpuMemory, LdsIsChecked) {
  AmdgpuRun(R"(
  %beyond = getelementptr i32, ptr addrspace(3) @shared, i64 1024
  store i32 1, ptr addrspace(3) %beyond
  ret void)")
      .expect(FindingKind::OutOfBounds, "write of 4 bytes at byte 4096 of shared memory");
  AmdgpuRun(R"(
  %mine = getelementptr i32, ptr addrspace(3) @shared, i64 %place
  %y = load i32, ptr addrspace(3) %mine
  store i32 %y, ptr addrspace(1) %to
  ret void)")
      .expect(FindingKind::UninitializedShared, "read of shared bytes 0 to 4");
}

TEST(AmdgpuMemory, AddressesOfEverySpace) {
  AmdgpuRun(R"(
  %own = alloca i32, align 4, addrspace(5)
  store i32 %t, ptr addrspace(5) %own
  %base = getelementptr i8, ptr addrspace(3) @shared, i32 64
  %lower = getelementptr i32, ptr addrspace(3) %base, i32 -4
  %mine = getelementptr i32, ptr addrspace(3) %lower, i32 %t
  %x = load i32, ptr addrspace(5) %own
  %flat = addrspacecast ptr addrspace(3) %mine to ptr
  store i32 %x, ptr %flat
  %back = addrspacecast ptr %flat to ptr addrspace(3)
  %number = ptrtoint ptr addrspace(3) %back to i32
  %again = inttoptr i32 %number to ptr addrspace(3)
  %y = load i32, ptr addrspace(3) %again
  store i32 %y, ptr addrspace(1) %to
  ret void)")
      .expectOut([](unsigned i) { return i; });
}

TEST(AmdgpuMemory, ScopesOfAtomicOperations) {
  auto run = [](llvm::StringRef scope) {
    return AmdgpuRun(llvm::formatv(R"(
  %old = atomicrmw add ptr addrspace(1) %in, i32 1 syncscope("{0}") monotonic
  ret void)",
                                   scope)
                         .str(),
                     {.grid = {2, 1, 1}});
  };
  run("agent").expectNoFindings();
  run("agent-one-as").expectNoFindings();
  run("workgroup").expect(FindingKind::GlobalRace, "which another program updates too");
}

//===--- Buffer resources ---------------------------------------------------------------------------------------===//

/// A buffer over `in` with room for `bytes`; %offset is four times the thread.
std::string buffer(unsigned bytes, llvm::StringRef code) {
  return llvm::formatv(R"(
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 0, i64 {0}, i32 159744)
  %offset = shl i32 %t, 2
  {1}
  ret void)",
                       bytes, code)
      .str();
}

constexpr unsigned most = 0x7ffffffe;
constexpr llvm::StringLiteral loadOffset =
    "%y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)\n"
    "store i32 %y, ptr addrspace(1) %to\n";

TEST(AmdgpuMemory, BuffersAreReadAndWritten) {
  AmdgpuRun(buffer(most, R"(
  %v = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %r, i32 16, i32 16, i32 0)
  %e = extractelement <4 x i32> %v, i32 1
  %h = call <2 x half> @llvm.amdgcn.raw.ptr.buffer.load.v2f16(ptr addrspace(8) %r, i32 %offset, i32 0, i32 0)
  %i = bitcast <2 x half> %h to i32
  %s = shl i32 %e, 16
  %y = or i32 %i, %s
  %w = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 2147483646, i32 159744)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %y, ptr addrspace(8) %w, i32 %offset, i32 0, i32 0))"))
      .expectOut([](unsigned i) { return (i + 1) | 10 << 16; });
}

TEST(AmdgpuMemory, LanesAreSwitchedOffByTheirOffset) {
  AmdgpuRun(
      buffer(most, "%odd = trunc i32 %t to i1\n%o = select i1 %odd, i32 -2147483648, i32 %offset\n" + loadOffset.str()))
      .expectOut([](unsigned i) { return i % 2 ? 0 : i + 1; });
  AmdgpuRun run(buffer(most,
                       "%odd = trunc i32 %t to i1\n%o = select i1 %odd, i32 -2147483648, i32 %offset\n"
                       "call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 9, ptr addrspace(8) %r, i32 %o, i32 0, "
                       "i32 0)"));
  run.expectNoFindings();
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(run.in[i], i % 2 ? i + 1 : 9);
}

TEST(AmdgpuMemory, AccessesOutsideTheArrayOfABufferAreReported) {
  std::string beyond = "%o = add i32 %offset, 4\n" + loadOffset.str();
  AmdgpuRun run(buffer(most, beyond));
  run.expect(FindingKind::OutOfBounds, "read of 4 bytes at byte 256 of `in`, which has 256 bytes");
  EXPECT_EQ(run.out[62], 64u);
  EXPECT_EQ(run.out[63], 0u);
  // The end of the resource does not excuse it.
  AmdgpuRun(buffer(256, beyond)).expect(FindingKind::OutOfBounds, "read of 4 bytes at byte 256");
  // A smaller resource gives zeros for what the array contains.
  AmdgpuRun(buffer(128, "%o = add i32 %offset, 0\n" + loadOffset.str())).expectOut([](unsigned i) {
    return i < 32 ? i + 1 : 0;
  });
  AmdgpuRun(buffer(most, "%o = add i32 %offset, 4\ncall void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 9, "
                         "ptr addrspace(8) %r, i32 %o, i32 0, i32 0)"))
      .expect(FindingKind::OutOfBounds, "write of 4 bytes at byte 256 of `in`");
}

// As of a block that begins before its array, where another one ends.
TEST(AmdgpuMemory, TheBaseOfABufferMayBeInAnotherArray) {
  AmdgpuRun(R"(
  %isBefore = icmp ult ptr addrspace(1) %in, %out
  %base = select i1 %isBefore, ptr addrspace(1) %in, ptr addrspace(1) %out
  %array = select i1 %isBefore, ptr addrspace(1) %out, ptr addrspace(1) %in
  %start = ptrtoint ptr addrspace(1) %base to i64
  %end = ptrtoint ptr addrspace(1) %array to i64
  %distance = sub i64 %end, %start
  %o = trunc i64 %distance to i32
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %base, i16 0, i64 2147483646, i32 159744)
  %y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  ret void)")
      .expectNoFindings();
}

TEST(AmdgpuMemory, BuffersOfGfx1250AreLarger) {
  AmdgpuRun(R"(
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %in, i16 0, i64 8589934592, i32 0)
  %offset = shl i32 %t, 2
  %odd = trunc i32 %t to i1
  %o = select i1 %odd, i32 -2147483648, i32 %offset
)" + loadOffset.str() +
                "ret void",
            {.processor = "gfx1250", .threads = 32})
      .expectOut([](unsigned i) { return i % 2 ? 0 : i + 1; });
}

TEST(AmdgpuMemory, BuffersAreUpdatedAtomically) {
  AmdgpuRun run(buffer(most, R"(
  %old = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 2, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  %one = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32 77, i32 3, ptr addrspace(8) %r, i32 8, i32 0, i32 0)
  %f = call float @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.f32(float 1.0, ptr addrspace(8) %r, i32 16, i32 0, i32 0)
  store i32 %old, ptr addrspace(1) %to)"));
  run.expectOut([](unsigned i) { return 1 + 2 * i; });
  EXPECT_EQ(run.in[0], 129u);
  EXPECT_EQ(run.in[2], 77u);
  EXPECT_EQ(run.in[4], 0x42800000u);
  EXPECT_NE(AmdgpuRun::refusal(buffer(most, R"(
  %f = call <2 x bfloat> @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.v2bf16(<2 x bfloat> zeroinitializer,
      ptr addrspace(8) %r, i32 16, i32 0, i32 0))")),
            "");
}

TEST(AmdgpuMemory, ResourcesPassThroughPhis) {
  AmdgpuRun(buffer(most, R"(
  %w = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 2147483646, i32 159744)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ 1, %loop ]
  %q = phi ptr addrspace(8) [ %r, %entry ], [ %w, %loop ]
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %q, i32 %offset, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr addrspace(8) %w, i32 %offset, i32 0, i32 0)
  %end = icmp eq i32 %i, 1
  br i1 %end, label %done, label %loop
done:)"))
      .expectOut([](unsigned i) { return i + 1; });
}

//===--- Copies to LDS ------------------------------------------------------------------------------------------===//

constexpr llvm::StringLiteral copyLine =
    "call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) @shared, i32 4, i32 0, i32 0)\n";
constexpr llvm::StringLiteral waitLine = "call void @llvm.amdgcn.s.waitcnt(i32 3952)\n"; // vmcnt(0)
constexpr llvm::StringLiteral readLines = "%mine = getelementptr i32, ptr addrspace(3) @shared, i64 %place\n"
                                          "%y = load i32, ptr addrspace(3) %mine\n"
                                          "store i32 %y, ptr addrspace(1) %to\nret void";

TEST(AmdgpuMemory, CopiesToLdsMustBeWaitedFor) {
  AmdgpuRun((copyLine + waitLine + readLines).str()).expectOut([](unsigned i) { return i + 1; });
  AmdgpuRun((copyLine + readLines).str()).expect(FindingKind::SharedRace, "an asynchronous copy has not ended");
  // A wait may leave the newest copy under way.
  constexpr llvm::StringLiteral second =
      "%upper = getelementptr i32, ptr addrspace(3) @shared, i32 64\n"
      "call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) %upper, i32 4, i32 0, i32 0)\n";
  constexpr llvm::StringLiteral leaveOne = "call void @llvm.amdgcn.s.waitcnt(i32 3953)\n"; // vmcnt(1)
  AmdgpuRun((copyLine + second + leaveOne + readLines).str()).expectOut([](unsigned i) { return i + 1; });
  AmdgpuRun((second + copyLine + leaveOne + readLines).str())
      .expect(FindingKind::SharedRace, "an asynchronous copy has not ended");
}

TEST(AmdgpuMemory, OtherWarpsNeedABarrierAfterACopy) {
  constexpr llvm::StringLiteral part = R"(
  %wave = and i32 %t, 64
  %part = getelementptr i32, ptr addrspace(3) @shared, i32 %wave
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) %part, i32 4, i32 0, i32 0)
  %o = xor i32 %t, 64
)",
                                other = "%mine = getelementptr i32, ptr addrspace(3) @shared, i32 %o\n"
                                        "%y = load i32, ptr addrspace(3) %mine\n"
                                        "store i32 %y, ptr addrspace(1) %to\nret void";
  AmdgpuRun((part + waitLine + release + barrier + acquire + other).str(), {.threads = 128}).expectOut([](unsigned i) {
    return (i ^ 64) + 1;
  });
  AmdgpuRun((part + release + barrier + acquire + waitLine + other).str(), {.threads = 128})
      .expect(FindingKind::SharedRace, "");
}

TEST(AmdgpuMemory, BuffersAreCopiedToLds) {
  std::string code = "%odd = trunc i32 %t to i1\n%o = select i1 %odd, i32 -2147483648, i32 %offset\n"
                     "call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) @shared, "
                     "i32 4, i32 %o, i32 0, i32 0, i32 0)\n" +
                     (waitLine + readLines).str();
  AmdgpuRun(buffer(most, llvm::StringRef(code).drop_back(8))).expectOut([](unsigned i) { return i % 2 ? 0 : i + 1; });
  constexpr llvm::StringLiteral wide =
      "call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) @shared, i32 16, i32 0, i32 0)\n"
      "ret void";
  EXPECT_NE(AmdgpuRun::refusal(wide), "");
  EXPECT_EQ(AmdgpuRun::refusal(wide, {.processor = "gfx950"}), "");
}

TEST(AmdgpuMemory, TransposingReads) {
  // A matrix of 16 rows with 16 columns of 16 bits, whose elements are 256 * row + column.
  auto run = [](llvm::StringRef read) {
    return AmdgpuRun(llvm::formatv(R"(
  %row = lshr i32 %t, 2
  %quarter = and i32 %t, 3
  %column = shl i32 %quarter, 2
  %row8 = shl i32 %row, 8
  %first = or i32 %row8, %column
  %next = add i32 %first, 1
  %high = shl i32 %next, 16
  %lower = or i32 %first, %high
  %upper = add i32 %lower, 131074
  %v0 = insertelement <2 x i32> poison, i32 %lower, i32 0
  %v = insertelement <2 x i32> %v0, i32 %upper, i32 1
  %mine = getelementptr i64, ptr addrspace(3) @shared, i32 %t
  store <2 x i32> %v, ptr addrspace(3) %mine, align 8
  {0}
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                                   read)
                         .str(),
                     {.processor = "gfx950"});
  };
  // Lane i of a group of 16 receives column i of the four rows that the group has read.
  run(R"(%x = call <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3) %mine)
  %a = extractelement <4 x i16> %x, i32 0
  %b = extractelement <4 x i16> %x, i32 3
  %al = zext i16 %a to i32
  %bl = zext i16 %b to i32
  %bh = shl i32 %bl, 16
  %y = or i32 %al, %bh)")
      .expectOut([](unsigned i) {
        unsigned row = i / 16 * 4, column = i % 16;
        return (row << 8 | column) | ((row + 3) << 8 | column) << 16;
      });
  // As bytes, each row has 32 columns, and two lanes read eight of them.
  run(R"(%x = call <2 x i32> @llvm.amdgcn.ds.read.tr8.b64.v2i32(ptr addrspace(3) %mine)
  %y = extractelement <2 x i32> %x, i32 1)")
      .expectOut([](unsigned i) {
        uint32_t word = 0;
        for (unsigned r = 4; r < 8; ++r) {
          unsigned lane = i / 16 * 16 + i % 16 / 8 + 2 * r, byte = i % 8;
          unsigned element = (lane / 4) << 8 | (lane % 4 * 4 + byte / 2);
          word |= (element >> byte % 2 * 8 & 0xff) << (r - 4) * 8;
        }
        return word;
      });
}

TEST(AmdgpuMemory, WideTransposingReads) {
  // Each lane of eight reads a row of eight elements, and receives column i of the eight rows.
  AmdgpuRun run(R"(
  %row = shl i32 %t, 8
  %offset = mul i32 %t, 16
  %mine = getelementptr i8, ptr addrspace(3) @shared, i32 %offset
  %r0 = insertelement <8 x i32> poison, i32 %row, i32 0
  %rows = shufflevector <8 x i32> %r0, <8 x i32> poison, <8 x i32> zeroinitializer
  %wide = or <8 x i32> %rows, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v = trunc <8 x i32> %wide to <8 x i16>
  store <8 x i16> %v, ptr addrspace(3) %mine, align 16
  %x = call <8 x i16> @llvm.amdgcn.ds.load.tr16.b128.v8i16(ptr addrspace(3) %mine)
  %a = extractelement <8 x i16> %x, i32 0
  %b = extractelement <8 x i16> %x, i32 7
  %al = zext i16 %a to i32
  %bl = zext i16 %b to i32
  %bh = shl i32 %bl, 16
  %y = or i32 %al, %bh
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                {.processor = "gfx1250", .threads = 32});
  run.expectOut([](unsigned i) {
    unsigned row = i / 8 * 8, column = i % 8;
    return (row << 8 | column) | ((row + 7) << 8 | column) << 16;
  });
}

} // namespace
} // namespace triton::simulator
