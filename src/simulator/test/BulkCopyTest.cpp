// Bulk copies and tensor maps: the answers of an H200 (data/tma.json), what copies order, and their errors.
#include "Answers.h"
#include "Harness.h"

#include "simulator/core/Numerics.h"
#include "simulator/core/TensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare void @llvm.nvvm.fence.proxy.async()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.1d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.3d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.2d(ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)
declare void @llvm.nvvm.cp.async.bulk.wait.group.read(i32)
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %bar = getelementptr i8, ptr addrspace(3) @shared, i32 32768
  %one = icmp eq i32 %t, 0
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
)";

struct CopyRun : CheckedRun {
  std::vector<uint32_t> in, out;
  TensorMap map{};
  unsigned programs = 1;

  void launch(const std::string &body, unsigned threads = 128) {
    auto program = decodeText((prologue + body + "\n  ret void\n}\n").str());
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.threads = threads;
    configuration.grid = configuration.cluster = {programs, 1, 1};
    configuration.dynamicSharedBytes = 32768 + 64;
    result =
        simulator::launch(*program, configuration, {addressOf(in), addressOf(out), reinterpret_cast<uint64_t>(&map)},
                          {allocationOf(in, "in"), allocationOf(out, "out")});
  }
};

constexpr llvm::StringLiteral initialize = R"(
  br i1 %one, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %bar, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  br label %start
start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %one, label %issue, label %issued
issue:
)",
                              waitForBox = R"(
  br label %issued
issued:
  %there = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %bar, i32 0)
)";

std::string expectBytes(unsigned bytes) {
  return llvm::formatv("  %token = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) "
                       "%bar, i32 {0})\n",
                       bytes)
      .str();
}

std::string loadBox(unsigned offset, llvm::ArrayRef<int> start) {
  std::string coordinates;
  for (int coordinate : start)
    coordinates += llvm::formatv(", i32 {0}", coordinate).str();
  return llvm::formatv("  %dst = getelementptr i8, ptr addrspace(3) @shared, i32 {0}\n  %dst7 = addrspacecast ptr "
                       "addrspace(3) %dst to ptr addrspace(7)\n  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile."
                       "{1}d(ptr addrspace(7) %dst7, ptr addrspace(3) %bar, ptr %map{2}, i16 0, i64 0, i1 false, i1 "
                       "false, i32 0)\n",
                       offset, start.size(), coordinates)
      .str();
}

/// Words of 32 bits that are filled with a5 or by the copy. Shared memory itself begins with a5.
std::string dump(unsigned words) {
  std::string text;
  for (unsigned i = 0; i * 128 < words; ++i)
    text +=
        llvm::formatv("  %s{0} = add i32 %t, {1}\n  %f{0} = getelementptr i32, ptr addrspace(3) @shared, i32 %s{0}\n"
                      "  %v{0} = load i32, ptr addrspace(3) %f{0}\n  %g{0} = getelementptr i32, ptr addrspace(1) "
                      "%out, i32 %s{0}\n  store i32 %v{0}, ptr addrspace(1) %g{0}\n",
                      i, i * 128)
            .str();
  return text;
}

//===--- Answers of the hardware ----------------------------------------------------------------------------------===//

struct LoadForm {
  llvm::StringLiteral name;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box;
  std::vector<int> start;
  uint32_t swizzle = 0;
  unsigned offset = 0;
  std::vector<uint32_t> elementStrides = {};
  uint32_t type = 1, fill = 0;
};

std::vector<LoadForm> loadForms() {
  std::vector<uint64_t> plane{256, 128}, pitch{512}, block{64, 4, 128}, pitches{128, 512};
  std::vector<LoadForm> forms{
      {"sw0_off0", plane, pitch, {64, 16}, {0, 0}, 0, 0},
      {"sw0_off128", plane, pitch, {64, 16}, {0, 0}, 0, 128},
      {"sw1_off0", plane, pitch, {16, 16}, {0, 0}, 1, 0},
      {"sw1_off128", plane, pitch, {16, 16}, {0, 0}, 1, 128},
      {"sw2_off0", plane, pitch, {32, 16}, {0, 0}, 2, 0},
      {"sw2_off128", plane, pitch, {32, 16}, {0, 0}, 2, 128},
      {"sw3_off0", plane, pitch, {64, 16}, {0, 0}, 3, 0},
      {"sw3_off128", plane, pitch, {64, 16}, {0, 0}, 3, 128},
      {"sw3_off512", plane, pitch, {64, 16}, {0, 0}, 3, 512},
      {"sw3_n32", plane, pitch, {32, 16}, {0, 0}, 3, 0},
      {"sw3_n8", plane, pitch, {8, 16}, {0, 0}, 3, 0},
      {"sw2_n16", plane, pitch, {16, 16}, {0, 0}, 2, 0},
      {"none_n24", plane, pitch, {24, 5}, {8, 3}},
      {"sw3_coord8", plane, pitch, {64, 8}, {8, 7}, 3},
      {"oob_neg", plane, pitch, {32, 8}, {-8, -3}},
      {"oob_hi", plane, pitch, {32, 8}, {232, 125}},
      {"oob_dim250", {250, 128}, pitch, {32, 8}, {224, 0}},
      {"oob_sw3", plane, pitch, {64, 8}, {-8, 125}, 3},
      {"es_outer2", plane, pitch, {16, 8}, {0, 0}, 0, 0, {1, 2}},
      {"es_inner2", plane, pitch, {32, 4}, {0, 0}, 0, 0, {2, 1}},
      {"es_outer3_box8", plane, pitch, {16, 8}, {0, 0}, 0, 0, {1, 3}},
      {"r1", {32768}, {}, {256}, {104}},
      {"r3", block, pitches, {32, 2, 3}, {8, 1, 2}},
      {"r3_sw3", block, pitches, {64, 2, 3}, {0, 1, 2}, 3},
  };
  for (auto [name, type, fill] : {std::tuple<llvm::StringLiteral, uint32_t, uint32_t>{"fill_f16_0", 6, 0},
                                  {"fill_f16_1", 6, 1},
                                  {"fill_bf16_1", 9, 1},
                                  {"fill_f32_1", 7, 1},
                                  {"fill_tf32_0", 11, 0}}) {
    uint64_t bytes = type == 7 || type == 11 ? 4 : 2;
    forms.push_back({name, {128, 64}, {128 * bytes}, {16, 4}, {120, 62}, 0, 0, {}, type, fill});
  }
  return forms;
}

/// The tensor's contents: numbers from 1 on, for f16 modulo 1000, or ones in bf16.
std::vector<uint32_t> tensorOf(uint32_t type) {
  std::vector<uint32_t> words(32768 / 2);
  if (type == 7 || type == 11)
    for (auto [i, word] : llvm::enumerate(words))
      word = bitCast<uint32_t>(float(i + 1));
  else
    for (unsigned i = 0; i < 32768; ++i) {
      uint32_t bits = type == 6 ? halfFromFloat(float((i + 1) % 1000)) : type == 9 ? bfloatFromFloat(1) : i + 1;
      words[i / 2] |= bits << 16 * (i % 2);
    }
  return words;
}

void encode(TensorMap &map, const LoadForm &form, uint64_t address) {
  TensorMapArguments arguments;
  arguments.type = form.type;
  arguments.address = address;
  arguments.sizes = form.sizes;
  arguments.strides = form.strides;
  arguments.box = form.box;
  std::vector<uint32_t> ones(form.sizes.size(), 1);
  arguments.elementStrides = form.elementStrides.empty() ? ones : form.elementStrides;
  arguments.swizzle = form.swizzle;
  arguments.fill = form.fill;
  EXPECT_EQ(encodeTensorMap(arguments, map), "");
}

TEST(BulkCopy, LoadsOfBoxes) {
  llvm::json::Object answers = loadAnswers("tma.json");
  const llvm::json::Object &loads = *answers.getObject("loads");
  std::vector<LoadForm> forms = loadForms();
  EXPECT_EQ(forms.size(), loads.size());
  for (const LoadForm &form : forms) {
    bool isWide = form.type == 7 || form.type == 11;
    std::vector<uint64_t> expected = words(*loads.getObject(form.name)->getString("dump"), 4);
    CopyRun run;
    run.in = tensorOf(form.type);
    run.out.resize((expected.size() / 2 + 127) / 128 * 128);
    encode(run.map, form, addressOf(run.in));
    unsigned bytes = isWide ? 4 : 2;
    for (unsigned i = 0; i < form.box.size(); ++i)
      bytes *= run.map.steps(i);
    run.launch(initialize.str() + expectBytes(bytes) + loadBox(form.offset, form.start) + waitForBox.str() +
               dump(unsigned(run.out.size())));
    for (const Finding &finding : run.result.findings) // what the copy omits was not written
      EXPECT_EQ(finding.kind, FindingKind::UninitializedShared) << form.name.str() << ": " << finding.str();
    for (auto [i, word] : llvm::enumerate(expected))
      if (word != 0xa5a5)
        ASSERT_EQ(run.out[i / 2] >> 16 * (i % 2) & 0xFFFF, word) << form.name.str() << " " << i;
  }
}

TEST(BulkCopy, TF32IsRounded) {
  llvm::json::Object answers = loadAnswers("tma.json");
  for (auto [key, type] : {std::pair<llvm::StringLiteral, uint32_t>{"cvt_f32", 7},
                           {"cvt_f32_ftz", 10},
                           {"cvt_tf32", 11},
                           {"cvt_tf32_ftz", 12}}) {
    CopyRun run;
    run.in = column<uint32_t>(*answers.getString("cvt_input"), 8);
    std::vector<uint32_t> expected = column<uint32_t>(*answers.getString(key), 8);
    run.in.resize((run.in.size() + 3) / 4 * 4);
    auto count = uint32_t(run.in.size());
    run.out.resize(128);
    encode(run.map, {"", {count}, {}, {count}, {0}, 0, 0, {}, type}, addressOf(run.in));
    run.launch(initialize.str() + expectBytes(4 * count) + loadBox(0, {0}) + waitForBox.str() + dump(128));
    for (auto [i, word] : llvm::enumerate(expected))
      EXPECT_EQ(run.out[i], word) << key.str() << " " << i;
  }
}

TEST(BulkCopy, EncoderRefusesWhatTheDriverRefuses) {
  auto encodes = [](llvm::function_ref<void(LoadForm &, uint64_t &, uint32_t &)> change) {
    LoadForm form{"", {256, 128}, {512}, {64, 8}, {0, 0}, 0, 0, {1, 1}, 6};
    uint64_t address = 1 << 20;
    uint32_t l2 = 0;
    change(form, address, l2);
    TensorMap map;
    return encodeTensorMap({form.type, address, form.sizes, form.strides, form.box, form.elementStrides, 0,
                            form.swizzle, l2, form.fill},
                           map)
        .empty();
  };
  using F = LoadForm;
  EXPECT_TRUE(encodes([](F &, uint64_t &, uint32_t &) {}));
  EXPECT_FALSE(encodes([](F &, uint64_t &address, uint32_t &) { address += 8; }));
  EXPECT_TRUE(encodes([](F &, uint64_t &address, uint32_t &) { address = 0; }));
  for (auto [stride, isValid] : {std::pair<uint64_t, bool>{520, false},
                                 {528, true},
                                 {0, true},
                                 {16, true},
                                 {uint64_t(1) << 40, false},
                                 {(uint64_t(1) << 40) - 16, true}})
    EXPECT_EQ(encodes([&](F &form, uint64_t &, uint32_t &) { form.strides = {stride}; }), isValid) << stride;
  for (auto [size, isValid] :
       {std::pair<uint64_t, bool>{0, false}, {uint64_t(1) << 32, true}, {(uint64_t(1) << 32) + 1, false}})
    EXPECT_EQ(encodes([&](F &form, uint64_t &, uint32_t &) { form.sizes[0] = size; }), isValid) << size;
  for (auto [extent, isValid] :
       {std::pair<uint32_t, bool>{257, false}, {0, false}, {4, false}, {8, true}, {12, false}, {1, false}, {256, true}})
    EXPECT_EQ(encodes([&](F &form, uint64_t &, uint32_t &) { form.box[0] = extent; }), isValid) << extent;
  for (uint32_t swizzle = 1; swizzle <= 6; ++swizzle)
    for (uint32_t bytes : {16u, 32u, 48u, 64u, 128u, 256u})
      EXPECT_EQ(encodes([&](F &form, uint64_t &, uint32_t &) {
                  form.swizzle = swizzle;
                  form.box[0] = bytes / 2;
                }),
                swizzle <= 3 && bytes <= 16u << swizzle)
          << swizzle << " " << bytes;
  for (uint32_t stride : {0u, 1u, 8u, 9u})
    EXPECT_EQ(encodes([&](F &form, uint64_t &, uint32_t &) { form.elementStrides[1] = stride; }),
              stride >= 1 && stride <= 8);
  for (uint32_t type = 0; type < 14; ++type)
    EXPECT_EQ(encodes([&](F &form, uint64_t &, uint32_t &) {
                form.type = type;
                form.fill = 1;
                form.box[0] = 16;
              }),
              type >= 6 && type <= 12)
        << type;
  for (uint32_t promotion = 0; promotion < 5; ++promotion)
    EXPECT_EQ(encodes([&](F &, uint64_t &, uint32_t &l2) { l2 = promotion; }), promotion < 4);
}

TEST(BulkCopy, CoordinatesThatFault) {
  for (auto [x, isValid] :
       {std::pair<int, bool>{1, false}, {4, false}, {-1, false}, {253, false}, {8, true}, {-8, true}}) {
    CopyRun run;
    run.in = tensorOf(1);
    run.out.resize(128);
    encode(run.map, {"", {256, 128}, {512}, {64, 4}, {}}, addressOf(run.in));
    run.launch(initialize.str() + expectBytes(512) + loadBox(0, {x, 0}) + waitForBox.str());
    if (isValid)
      run.expectNoFindings();
    else
      run.expect(FindingKind::InvalidCopy, "not a multiple of 16");
  }
}

//===--- Stores ---------------------------------------------------------------------------------------------------===//

/// Each thread writes four words of a box of 8 rows of 64 halves and one thread stores it at (x, y).
std::string storeText(llvm::StringRef fence, llvm::StringRef operation, int x, int y, llvm::StringRef wait) {
  std::string text;
  for (unsigned i = 0; i < 2; ++i)
    text +=
        llvm::formatv("  %q{0} = add i32 %t, {1}\n  %m{0} = getelementptr i32, ptr addrspace(3) @shared, i32 %q{0}\n"
                      "  store i32 65537, ptr addrspace(3) %m{0}\n",
                      i, i * 128)
            .str();
  return text + fence.str() +
         llvm::formatv(R"(
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %one, label %issue, label %done
issue:
  call void @llvm.nvvm.cp.async.bulk.tensor.{0}.tile.2d(ptr addrspace(3) @shared, ptr %map, i32 {1}, i32 {2}, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
{3}
  br label %done
done:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
)",
                       operation, x, y, wait)
             .str();
}

constexpr llvm::StringLiteral proxyFence = "  call void @llvm.nvvm.fence.proxy.async()\n",
                              waitForWrites = "  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)",
                              waitForReads = "  call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)";

CopyRun runStore(const std::string &text, uint32_t type = 1, uint64_t columns = 256) {
  CopyRun run;
  run.in.resize(1);
  run.out.resize(256 * 128 / 2, 0x00030002);
  encode(run.map, {"", {columns, 128}, {512}, {64, 8}, {}, 3, 0, {}, type}, addressOf(run.out));
  run.launch(text);
  return run;
}

// As an H200 does: of 244 columns, the last piece of 16 bytes ends with column 247.
TEST(BulkCopy, StoresWriteWholePieces) {
  CopyRun run = runStore(storeText(proxyFence, "s2g", 192, 0, waitForWrites), /*type=*/1, /*columns=*/244);
  for (unsigned x = 0; x < 256; x += 2)
    ASSERT_EQ(run.out[x / 2], x >= 192 && x < 248 ? 0x00010001u : 0x00030002u) << x;
}

TEST(BulkCopy, StoresOfBoxes) {
  CopyRun run = runStore(storeText(proxyFence, "s2g", 192, 125, waitForWrites));
  run.expectNoFindings();
  for (unsigned y = 0; y < 128; ++y)
    for (unsigned x = 0; x < 256; x += 2)
      ASSERT_EQ(run.out[(y * 256 + x) / 2], x >= 192 && y >= 125 ? 0x00010001u : 0x00030002u) << x << " " << y;
  runStore(storeText(proxyFence, "s2g", 0, 100000, waitForWrites)).expectNoFindings();
  runStore(storeText(proxyFence, "s2g", -8, 0, waitForWrites))
      .expect(FindingKind::InvalidCopy, "a box that is stored begins at coordinate -8");
  runStore(storeText(proxyFence, "s2g", 0, -3, waitForWrites)).expect(FindingKind::InvalidCopy, "coordinate -3");
  runStore(storeText(proxyFence, "s2g", 4, 0, waitForWrites)).expect(FindingKind::InvalidCopy, "8 bytes");
}

TEST(BulkCopy, Reductions) {
  CopyRun run = runStore(storeText(proxyFence, "reduce.add", 0, 8, waitForWrites), /*type=*/9);
  run.expectNoFindings();
  EXPECT_EQ(run.out[8 * 128], 0x00040003u); // subnormal numbers
  EXPECT_EQ(run.out[7 * 128], 0x00030002u);
  runStore(storeText(proxyFence, "reduce.add", 0, 0, waitForWrites), /*type=*/1)
      .expect(FindingKind::InvalidCopy, "the reduction does not exist");
}

TEST(BulkCopy, StoresAreOrdered) {
  runStore(storeText("", "s2g", 0, 0, waitForWrites))
      .expect(FindingKind::MissingProxyFence, "asynchronous read of shared bytes");
  std::string overwrite = "  %again = getelementptr i32, ptr addrspace(3) @shared, i32 %t\n"
                          "  store i32 0, ptr addrspace(3) %again\n",
              read = "  %back = load i32, ptr addrspace(1) %po\n"
                     "  %end = getelementptr i32, ptr addrspace(1) %po, i32 8192\n"
                     "  store i32 %back, ptr addrspace(1) %end\n";
  runStore(storeText(proxyFence, "s2g", 0, 0, waitForReads) + overwrite).expectNoFindings();
  runStore(storeText(proxyFence, "s2g", 0, 0, "") + overwrite)
      .expect(FindingKind::SharedRace, "which an asynchronous operation reads that has not ended");
  runStore(storeText(proxyFence, "s2g", 0, 0, waitForWrites) + read).expectNoFindings();
  runStore(storeText(proxyFence, "s2g", 0, 0, waitForReads) + read)
      .expect(FindingKind::GlobalRace, "without synchronization");
}

//===--- Loads: order and errors ----------------------------------------------------------------------------------===//

CopyRun runLoad(const std::string &text, unsigned programs = 1) {
  CopyRun run;
  run.in = tensorOf(1);
  run.out.resize(512);
  run.programs = programs;
  encode(run.map, {"", {256, 128}, {512}, {64, 8}, {}}, addressOf(run.in));
  run.launch(text);
  return run;
}

TEST(BulkCopy, LoadsMustBeWaitedFor) {
  runLoad(initialize.str() + expectBytes(1024) + loadBox(0, {0, 0}) + waitForBox.str() + dump(256)).expectNoFindings();
  runLoad(initialize.str() + expectBytes(1024) + loadBox(0, {0, 0}) + "  br label %issued\nissued:\n" + dump(256))
      .expect(FindingKind::SharedRace, "to which an asynchronous copy has not ended");
  // Two copies to one place.
  std::string second = loadBox(0, {0, 8});
  for (std::size_t place; (place = second.find("%dst")) != std::string::npos;)
    second.replace(place, 4, "%other");
  runLoad(initialize.str() + expectBytes(2048) + loadBox(0, {0, 0}) + second + waitForBox.str())
      .expect(FindingKind::SharedRace, "to which an asynchronous copy has not ended");
}

TEST(BulkCopy, BytesMustBeAnnounced) {
  runLoad(initialize.str() + expectBytes(2048) + loadBox(0, {0, 0}) + waitForBox.str())
      .expect(FindingKind::Deadlock, "waits for 0 of 1 arrivals and for 1024 bytes");
  runLoad(initialize.str() + expectBytes(512) + loadBox(0, {0, 0}) + waitForBox.str())
      .expect(FindingKind::BarrierMisuse, "a copy of 1024 bytes ends at the mbarrier at shared byte 32768");
}

TEST(BulkCopy, Misalignments) {
  runLoad(initialize.str() + expectBytes(1024) + loadBox(64, {0, 0}) + waitForBox.str())
      .expect(FindingKind::Misaligned, "the destination of a bulk copy is 64 bytes past a multiple of 128");
}

TEST(BulkCopy, BarriersMustBeVisibleToCopies) {
  std::string text = initialize.str();
  llvm::StringRef fence = "  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()\n";
  text.erase(text.find(fence.str()), fence.size());
  runLoad(text + expectBytes(1024) + loadBox(0, {0, 0}) + waitForBox.str())
      .expect(FindingKind::MissingProxyFence, "was initialized without");
}

/// A fence of the proxies orders what ordinary stores left in the buffer or in the tensor.
TEST(BulkCopy, OrdinaryWritesNeedAFence) {
  std::string write = "  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t\n"
                      "  store i32 0, ptr addrspace(3) %mine\n",
              change = "  %mine = getelementptr i32, ptr addrspace(1) %in, i32 %t\n"
                       "  store i32 0, ptr addrspace(1) %mine\n",
              rest = initialize.str() + expectBytes(1024) + loadBox(0, {0, 0}) + waitForBox.str();
  runLoad(write + rest).expect(FindingKind::MissingProxyFence, "asynchronous write of shared bytes");
  runLoad(write + proxyFence.str() + rest).expectNoFindings();
  runLoad(change + rest).expect(FindingKind::MissingProxyFence, "asynchronous read of 128 bytes at byte 0 of `in`");
  runLoad(change + proxyFence.str() + rest).expectNoFindings();
}

/// st.async is of the proxy of ordinary stores.
TEST(BulkCopy, AsynchronousStoresNeedNoFence) {
  auto run = [](unsigned place) {
    return runLoad("  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t\n"
                   "  store i32 %t, ptr addrspace(3) %mine\n" +
                   initialize.str() + expectBytes(8) +
                   llvm::formatv("  %b = ptrtoint ptr addrspace(3) %bar to i32\n  call void asm sideeffect "
                                 "\"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {{$1, $2}, "
                                 "[$3];\", \"r,r,r,r,~{{memory}\"(i32 {0}, i32 107, i32 108, i32 %b)\n",
                                 place)
                       .str() +
                   waitForBox.str() + dump(128));
  };
  CopyRun stored = run(8);
  stored.expectNoFindings();
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(stored.out[i], i == 2 ? 107 : i == 3 ? 108 : i);
  run(4).expect(FindingKind::Misaligned, "the destination of an asynchronous store is 4 bytes past a multiple of 8");
}

TEST(BulkCopy, NoTensorMap) {
  CopyRun run;
  run.in.resize(4);
  run.out.resize(4);
  run.launch(initialize.str() + expectBytes(1024) + loadBox(0, {0, 0}) + waitForBox.str());
  run.expect(FindingKind::InvalidCopy, "there is no tensor map");
}

TEST(BulkCopy, InlineAssembly) {
  std::string text = initialize.str() + expectBytes(1024 + 512) + R"(
  %b = ptrtoint ptr addrspace(3) %bar to i32
  call void asm sideeffect "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,~{memory}"(i32 0, ptr %map, i32 64, i32 3, i32 %b)
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r,~{memory}"(i32 1024, ptr addrspace(1) %in, i32 512, i32 %b)
)" + waitForBox.str() +
                     dump(384) + R"(
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void asm sideeffect "@$0 cp.async.bulk.global.shared::cta.bulk_group [$1], [$2], $3;", "b,l,r,r,~{memory}"(i1 %one, ptr addrspace(1) %in, i32 0, i32 256)
  call void asm sideeffect "cp.async.bulk.commit_group;", ""()
  call void asm sideeffect "cp.async.bulk.wait_group.read 0;", ""()
)";
  CopyRun run = runLoad(text);
  run.expectNoFindings();
  EXPECT_EQ(run.out[0], 0x03420341u); // 256 * 3 + 64 + 1
  EXPECT_EQ(run.out[256], 0x00020001u);
  EXPECT_EQ(run.in[0], 0x03420341u);
}

/// The copy of the first program goes to both programs, each of which announces its bytes.
TEST(BulkCopy, Multicast) {
  std::string load = loadBox(256, {0, 4});
  std::string mask = load;
  mask.replace(mask.find("i16 0, i64 0, i1 false"), 22, "i16 3, i64 0, i1 true");
  std::string text = R"(
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %isFirst = icmp eq i32 %rank, 0
  %sends = and i1 %one, %isFirst
  br i1 %one, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %bar, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
)" + expectBytes(1024) +
                     R"(
  br label %start
start:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  br i1 %sends, label %issue, label %issued
issue:
)" + mask + waitForBox.str() +
                     R"(
  %from = add i32 %t, 64
  %place = getelementptr i32, ptr addrspace(3) @shared, i32 %from
  %value = load i32, ptr addrspace(3) %place
  %base = mul i32 %p, 128
  %index = add i32 %base, %t
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %index
  store i32 %value, ptr addrspace(1) %to
)";
  CopyRun run = runLoad(text, 2);
  run.expectNoFindings();
  for (unsigned program : {0u, 1u})
    EXPECT_EQ(run.out[program * 128 + 32], 0x05020501u) << program; // the second row
}

} // namespace
} // namespace triton::simulator
