// wgmma: the answers of an H200 (data/wgmma.json), bit for bit, and the errors that only asynchronous products allow.
#include "Answers.h"
#include "Harness.h"
#include "WarpGroupText.h"

#include "simulator/nvptx/MatrixDescriptor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
)";

struct ProductRun : CheckedRun {
  std::vector<uint32_t> a, b, c, out = std::vector<uint32_t>(128 * 128);

  void launch(const std::string &body, unsigned threads = 128) {
    auto program = decodeText((prologue + body + "\n  ret void\n}\n").str());
    if (!program)
      return;
    for (std::vector<uint32_t> *array : {&a, &b, &c})
      array->resize(std::max<std::size_t>(array->size(), 1));
    LaunchConfiguration configuration;
    configuration.threads = threads;
    configuration.dynamicSharedBytes = 1 << 16;
    result =
        simulator::launch(*program, configuration, {addressOf(a), addressOf(b), addressOf(c), addressOf(out)},
                          {allocationOf(a, "a"), allocationOf(b, "b"), allocationOf(c, "c"), allocationOf(out, "out")});
  }
};

std::string at(llvm::StringRef name, llvm::StringRef array, unsigned index) {
  return llvm::formatv("  %{0}i = add i32 %t, {2}\n  %{0}p = getelementptr i32, ptr addrspace(1) %{1}, i32 %{0}i\n",
                       name, array, index * 128)
      .str();
}
std::string load(llvm::StringRef name, llvm::StringRef array, unsigned index, llvm::StringRef type = "i32") {
  return at(name, array, index) + llvm::formatv("  %{0} = load {1}, ptr addrspace(1) %{0}p\n", name, type).str();
}
std::string store(llvm::StringRef name, unsigned index, llvm::StringRef type) {
  return at((name + "o").str(), "out", index) +
         llvm::formatv("  store {1} %{0}, ptr addrspace(1) %{0}op\n", name, type).str();
}

constexpr llvm::StringLiteral fenceAndMeet = R"(
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
)",
                              fence = "  call void @llvm.nvvm.wgmma.fence.sync.aligned()\n",
                              commit = "  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()\n",
                              wait = "  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)\n";

/// Copies `words` words of %b to shared memory.
std::string fill(unsigned words) {
  return llvm::formatv(R"(
  br label %fill
fill:
  %i = phi i32 [ %t, %entry ], [ %next, %rest ]
  %inside = icmp ult i32 %i, {0}
  br i1 %inside, label %put, label %rest
put:
  %from = getelementptr i32, ptr addrspace(1) %b, i32 %i
  %word = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  store i32 %word, ptr addrspace(3) %to
  br label %rest
rest:
  %next = add i32 %i, 128
  %more = icmp ult i32 %next, {0}
  br i1 %more, label %fill, label %filled
filled:
)",
                       words);
}

std::string flagsOf(llvm::StringRef form, bool aInRegisters) {
  if (form.contains(".s32."))
    return "";
  bool is16 = form.ends_with("f16"); // bf16 too
  return is16 ? (aInRegisters ? ", 1, 1, 0" : ", 1, 1, 0, 0") : ", 1, 1";
}

//===--- Answers of the hardware ----------------------------------------------------------------------------------===//

TEST(WarpGroup, Descriptors) {
  llvm::json::Object answers = loadAnswers("wgmma.json");
  for (const llvm::json::Value &value : *answers.getArray("descriptors")) {
    const llvm::json::Object &map = *value.getAsObject();
    auto number = [&](llvm::StringRef key) { return uint64_t(*map.getInteger(key)); };
    std::string name = map.getString("swizzle")->str();
    auto swizzle =
        llvm::StringSwitch<uint64_t>(name).Case("none", 0).Case("128B", 1).Case("64B", 2).Case("32B", 3).Default(0);
    nvptx::MatrixDescriptor descriptor(number("start") >> 4 | number("lbo") >> 4 << 16 | number("sbo") >> 4 << 32 |
                                       number("base_offset") << 49 | swizzle << 62);
    uint64_t bytes = number("bits") / 8;
    bool isByRow = *map.getString("major") == "K";
    std::vector<uint64_t> offsets = words(*map.getString("byte_offset"), 4);
    // The answer lists rows, which are m or n, or k.
    bool rowsAreDepths = *map.getString("rows") == "k";
    unsigned depth = unsigned(32 / bytes);
    for (auto [i, offset] : llvm::enumerate(offsets)) {
      auto rows = unsigned(offsets.size() / depth);
      unsigned row = rowsAreDepths ? unsigned(i) % rows : unsigned(i) / depth,
               k = rowsAreDepths ? unsigned(i) / rows : unsigned(i) % depth;
      ASSERT_EQ(isByRow ? descriptor.offsetInRow(row, uint32_t(k * bytes)) : descriptor.offsetInDepth(row, k), offset)
          << llvm::formatv("{0}", value).str().substr(0, 200) << " row " << row << " k " << k;
    }
  }
}

/// A kernel that multiplies A in registers by an image of B.
std::string kernelOfAnswer(const Product &product) {
  std::string text = fill(64) + fenceAndMeet.str();
  for (unsigned i = 0; i < 4; ++i)
    text += load("a" + std::to_string(i), "a", i);
  for (unsigned i = 0; i < product.results; ++i)
    text += load("c" + std::to_string(i), "c", i, product.type());
  uint64_t descriptor = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
  text += llvm::formatv("  %db = add i64 {0}, 0\n  %add = add i32 1, 0\n", descriptor).str();
  text += fence.str() + productText(product, "d", "c") + commit.str() + wait.str();
  for (unsigned i = 0; i < product.results; ++i)
    text += store("d" + std::to_string(i), i, product.type());
  return text;
}

/// Words of 32 bits from a string of bytes in memory.
std::vector<uint32_t> wordsOfBytes(llvm::StringRef text) {
  std::vector<uint32_t> result;
  for (uint64_t word : words(text, 8))
    result.push_back(__builtin_bswap32(uint32_t(word)));
  return result;
}

std::vector<uint32_t> registersOf(const llvm::json::Array &texts) {
  std::vector<uint32_t> result;
  for (const llvm::json::Value &text : texts)
    llvm::append_range(result, words(*text.getAsString(), 8));
  return result;
}

/// `wgmma m64n8k32 satfinite.s32.s8.s8` → `m64n8k32.satfinite.s32.s8.s8`.
Product productOf(const llvm::json::Object &entry) {
  auto [opcode, rest] = entry.getString("ptx")->split(' ');
  auto [shape, types] = rest.split(' ');
  std::string form = (shape + "." + types.split(' ').first).str();
  bool isHalf = llvm::StringRef(form).contains(".f16.") && llvm::StringRef(types).starts_with("f16.");
  return {form, isHalf ? 2u : 4u, true, flagsOf(form, true)};
}

TEST(WarpGroup, Fragments) {
  llvm::json::Object answers = loadAnswers("wgmma.json");
  for (const auto &[name, value] : *answers.getObject("fragments")) {
    const llvm::json::Object &entry = *value.getAsObject();
    ProductRun run;
    run.a = registersOf(*entry.getArray("a"));
    run.b = wordsOfBytes(*entry.getString("smem_image"));
    run.c = registersOf(*entry.getArray("c"));
    run.launch(kernelOfAnswer(productOf(entry)));
    run.expectNoFindings();
    std::vector<uint32_t> expected = registersOf(*entry.getArray("d"));
    EXPECT_EQ(llvm::ArrayRef(run.out).take_front(expected.size()), llvm::ArrayRef(expected)) << name.str();
  }
}

/// The registers, of which the first warp's hold a matrix of 16 rows; the others are zero.
std::vector<uint32_t> registersOfRows(const std::vector<uint64_t> &matrix, unsigned columns, unsigned bits,
                                      bool isAccumulator) {
  unsigned perRegister = 32 / bits, count = 16 * columns / perRegister / 32;
  std::vector<uint32_t> result(count * 128);
  for (unsigned reg = 0; reg < count; ++reg)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < perRegister; ++i) {
        unsigned row = lane / 4, column = lane % 4 * perRegister + i;
        if (!isAccumulator) {
          row += reg % 2 * 8;
          column += reg / 2 * 4 * perRegister;
        } else if (bits == 16) {
          row += reg * 8;
        } else {
          row += reg / 2 * 8;
          column = lane % 4 * 2 + reg % 2;
        }
        result[reg * 128 + lane] |= uint32_t(matrix[row * columns + column] << i * bits);
      }
  return result;
}

TEST(WarpGroup, Sums) {
  llvm::json::Object answers = loadAnswers("wgmma.json");
  unsigned checked = 0;
  for (const auto &[name, value] : *answers.getObject("sums")) {
    const llvm::json::Object &entry = *value.getAsObject();
    Product product = productOf(entry);
    auto depth = unsigned(*entry.getInteger("K"));
    unsigned bits = 256 / depth, sumBits = product.results == 2 ? 16 : 32;
    for (const auto &[regime, sets] : *entry.getObject("sets"))
      for (const llvm::json::Value &set : *sets.getAsArray()) {
        auto matrix = [&](llvm::StringRef key, unsigned width) {
          return words(*set.getAsObject()->getString(key), width / 4);
        };
        ProductRun run;
        run.a = registersOfRows(matrix("a", bits), depth, bits, false);
        run.c = registersOfRows(matrix("c", sumBits), 8, sumBits, true);
        run.b.resize(64);
        for (auto [i, element] : llvm::enumerate(matrix("b", bits))) {
          auto n = unsigned(i) % 8, byte = unsigned(i) / 8 * bits / 8;
          std::memcpy(reinterpret_cast<char *>(run.b.data()) + n * 16 + byte % 16 + byte / 16 * 128, &element,
                      bits / 8);
        }
        run.launch(kernelOfAnswer(product));
        run.expectNoFindings();
        std::vector<uint32_t> expected = registersOfRows(matrix("d", sumBits), 8, sumBits, true);
        for (unsigned i = 0; i < expected.size(); i += i % 128 == 31 ? 97 : 1) {
          ASSERT_EQ(run.out[i], expected[i]) << name.str() << " " << regime.str() << " " << i;
          ++checked;
        }
      }
  }
  EXPECT_GT(checked, 5000u);
}

//===--- Products of tiles ----------------------------------------------------------------------------------------===//

/// Small integers, which are exact in every format. A is 64 x 16 and B is 16 x N, both in shared memory as TMA leaves
/// them with a swizzle of 128 bytes; the rows or the depths of A are contiguous.
TEST(WarpGroup, TilesInSharedMemory) {
  std::mt19937 random(7);
  for (unsigned n : {64u, 256u})
    for (bool isTransposed : {false, true}) {
      std::vector<int> a(64 * 16), b(n * 16);
      for (int &x : a)
        x = int(random() % 7) - 3;
      for (int &x : b)
        x = int(random() % 7) - 3;
      uint64_t start = 8192, swizzle = uint64_t(1) << 62, stride = uint64_t(1024 >> 4) << 32;
      nvptx::MatrixDescriptor ofA(swizzle | stride | uint64_t(2048 >> 4) << 16),
          ofB(swizzle | stride | uint64_t(2048 >> 4) << 16 | start >> 4);
      ProductRun run;
      run.b.resize((start + 256 * 128) / 4);
      auto put = [&](const nvptx::MatrixDescriptor &matrix, const std::vector<int> &elements) {
        for (auto [i, x] : llvm::enumerate(elements)) {
          auto row = unsigned(i) / 16, k = unsigned(i) % 16;
          uint32_t offset = isTransposed ? matrix.offsetInDepth(row, k) : matrix.offsetInRow(row, 2 * k);
          uint32_t bits = llvm::bit_cast<uint32_t>(float(x)) >> 16; // bf16
          std::memcpy(reinterpret_cast<char *>(run.b.data()) + offset, &bits, 2);
        }
      };
      put(ofA, a);
      put(ofB, b);
      std::string flag = isTransposed ? "1" : "0";
      Product product{llvm::formatv("m64n{0}k16.f32.bf16.bf16", n), n / 2, false,
                      llvm::formatv(", 1, -1, {0}, {0}", flag).str()};
      std::string text = fill(unsigned(run.b.size())) + fenceAndMeet.str();
      text += llvm::formatv("  %da = add i64 {0}, 0\n  %db = add i64 {1}, 0\n  %add = add i32 0, 0\n",
                            swizzle | stride | uint64_t(2048 >> 4) << 16,
                            swizzle | stride | uint64_t(2048 >> 4) << 16 | start >> 4)
                  .str();
      for (unsigned i = 0; i < product.results; ++i)
        text += llvm::formatv("  %c{0} = fadd float 7.0, 0.0\n", i).str();
      text += fence.str() + productText(product, "d", "c") + commit.str() + wait.str();
      for (unsigned i = 0; i < product.results; ++i)
        text += store("d" + std::to_string(i), i, "float");
      run.launch(text);
      run.expectNoFindings();
      for (unsigned t = 0; t < 128; ++t)
        for (unsigned reg = 0; reg < product.results; ++reg) {
          unsigned row = t / 32 * 16 + t % 32 / 4 + (reg / 2 % 2) * 8, column = reg / 4 * 8 + t % 4 * 2 + reg % 2;
          int sum = 0;
          for (unsigned k = 0; k < 16; ++k)
            sum -= a[row * 16 + k] * b[column * 16 + k];
          ASSERT_EQ(llvm::bit_cast<float>(run.out[reg * 128 + t]), float(sum)) << n << isTransposed << t << " " << reg;
        }
    }
}

//===--- Errors ---------------------------------------------------------------------------------------------------===//

const Product small{"m64n8k16.f32.f16.f16", 4, false, ", 1, 1, 0, 0"};

std::string operands() {
  uint64_t matrix = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
  return llvm::formatv("  %da = add i64 {0}, 0\n  %db = add i64 {1}, 0\n  %add = add i32 0, 0\n  %c0 = fadd float 0.0, "
                       "0.0\n  %c1 = fadd float 0.0, 0.0\n  %c2 = fadd float 0.0, 0.0\n  %c3 = fadd float 0.0, 0.0\n",
                       matrix, matrix | 2048 >> 4);
}

/// A product of ones whose parts are given; the defaults are correct.
struct Parts {
  std::string afterFill = fenceAndMeet.str(), before = fence.str(), between = {},
              after = wait.str() + store("d0", 0, "float");
};

ProductRun runParts(const Parts &parts, const Product &product = small) {
  ProductRun run;
  run.a.resize(128 * 4, 0x3C003C00);
  run.b.resize(576, 0x3C003C00);
  run.launch(fill(576) + parts.afterFill + operands() + parts.before + productText(product, "d", "c") + commit.str() +
             parts.between + parts.after);
  return run;
}

TEST(WarpGroup, CorrectProduct) {
  ProductRun run = runParts({});
  run.expectNoFindings();
  for (unsigned t = 0; t < 128; ++t)
    EXPECT_EQ(llvm::bit_cast<float>(run.out[t]), 16.0f);
}

TEST(WarpGroup, AsynchronousReadsNeedAFenceAndABarrier) {
  runParts({.afterFill = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"})
      .expect(FindingKind::MissingProxyFence, "without a fence of the proxies");
  runParts({.afterFill = "  call void @llvm.nvvm.fence.proxy.async.shared_cta()\n"})
      .expect(FindingKind::SharedRace, "which an asynchronous operation reads");
  // A fence after the barrier orders what the warp knows by then.
  runParts({.afterFill = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                         "  call void asm sideeffect \"fence.proxy.async.shared::cta;\", \"~{memory}\"()\n"})
      .expectNoFindings();
}

TEST(WarpGroup, RegistersNeedAFence) {
  runParts({.before = ""}).expect(FindingKind::MissingProductFence, "no fence of products yet");
  std::string loads = load("a0", "a", 0) + load("a1", "a", 1) + load("a2", "a", 2) + load("a3", "a", 3);
  const Product fromRegisters{"m64n8k16.f32.f16.f16", 4, true, ", 1, 1, 0"};
  runParts({.before = loads + fence.str()}, fromRegisters).expectNoFindings();
  runParts({.before = fence.str() + loads}, fromRegisters)
      .expect(FindingKind::MissingProductFence, "an operand of the product was written at");
  // An instruction whose value is a constant writes no register.
  std::string constants;
  for (unsigned i = 0; i < 4; ++i)
    constants += llvm::formatv("  %a{0} = call i32 @llvm.expect.i32(i32 {0}, i32 {0})\n", i);
  runParts({.before = fence.str() + constants}, fromRegisters).expectNoFindings();
}

TEST(WarpGroup, ResultsMustBeWaitedFor) {
  runParts({.after = store("d0", 0, "float")}).expect(FindingKind::ResultInFlight, "has not waited");
  runParts({.after = "  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 1)\n" + store("d0", 0, "float")})
      .expect(FindingKind::ResultInFlight, "has not waited");
  // Through a wait that passes the results on.
  std::string passed = "  %e = call float asm sideeffect \"wgmma.wait_group.sync.aligned {0};\", \"=f,0\"(float %d0)\n";
  runParts({.after = llvm::formatv(false, passed.c_str(), 0).str() + store("e", 0, "float")}).expectNoFindings();
  runParts({.after = llvm::formatv(false, passed.c_str(), 1).str() + store("e", 0, "float")})
      .expect(FindingKind::ResultInFlight, "has not waited");
}

/// A loop that carries results does not use them.
TEST(WarpGroup, LoopsCarryResults) {
  std::string loop = R"(
  br label %loop
loop:
  %n = phi i32 [ 0, %filled ], [ %n1, %loop ]
  %c0 = phi float [ 0.0, %filled ], [ %d0, %loop ]
  %c1 = phi float [ 0.0, %filled ], [ %d1, %loop ]
  %c2 = phi float [ 0.0, %filled ], [ %d2, %loop ]
  %c3 = phi float [ 0.0, %filled ], [ %d3, %loop ]
)" + productText(small, "d", "c") +
                     commit.str() +
                     R"(
  %n1 = add i32 %n, 1
  %again = icmp ult i32 %n1, 5
  br i1 %again, label %loop, label %done
done:
)" + wait.str() + store("d3", 0, "float");
  ProductRun run;
  run.b.resize(576, 0x3C003C00);
  std::string start = operands();
  start = start.substr(0, start.find("  %c0"));
  start.replace(start.find("%add = add i32 0"), 16, "%add = add i32 1");
  run.launch(fill(576) + fenceAndMeet.str() + start + fence.str() + loop);
  run.expectNoFindings();
  EXPECT_EQ(llvm::bit_cast<float>(run.out[77]), 80.0f);
}

TEST(WarpGroup, OperandsMustStay) {
  std::string overwrite = "  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t\n"
                          "  store i32 0, ptr addrspace(3) %mine\n";
  Parts parts{.between = overwrite};
  runParts(parts).expect(FindingKind::SharedRace, "which an asynchronous operation reads that has not ended");
  // A warp waits for the products of its whole group.
  runParts({.after = wait.str() + overwrite}).expectNoFindings();
  runParts({.between = R"(
  %mine = getelementptr [4 x i32], ptr addrspace(3) @shared, i32 %t
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %mine, ptr addrspace(1) %b)
)"})
      .expect(FindingKind::SharedRace, "copy of shared bytes 0 to 16, which an asynchronous operation reads");
}

TEST(WarpGroup, AllWarpsTakePart) {
  std::string some = R"(
  %few = icmp ult i32 %w, 3
  br i1 %few, label %multiply, label %end
multiply:
)";
  runParts({.before = fence.str() + some, .after = wait.str() + store("d0", 0, "float") + "  br label %end\nend:\n"})
      .expect(FindingKind::DivergentWarpGroup, "1 of the 4 warps of the group have ended without it");
  ProductRun run;
  run.b.resize(576, 0x3C003C00);
  run.launch(fill(576) + fenceAndMeet.str() + operands() + fence.str() + productText(small, "d", "c") + commit.str() +
                 wait.str(),
             96);
  run.expect(FindingKind::DivergentWarpGroup, "the last 3 are not a group of 4");
  std::string different = "  %wide = zext i32 %w to i64\n  %offset = shl i64 %wide, 1\n  %dm = add i64 %da, %offset\n";
  std::string text = productText(small, "d", "c");
  text.replace(text.find("i64 %da"), 7, "i64 %dm");
  run = {};
  run.b.resize(8192, 0x3C003C00);
  run.launch(fill(8192) + fenceAndMeet.str() + operands() + different + fence.str() + text + commit.str() + wait.str());
  run.expect(FindingKind::DivergentWarpGroup, "with other descriptors");
}

TEST(WarpGroup, DescriptorsBeyondSharedMemory) {
  ProductRun run;
  std::string start = operands();
  run.launch(start + "  %far = add i64 %db, 8192\n" + fence.str() +
             llvm::StringRef(productText(small, "d", "c")).split("%db").first.str() + "%far" +
             llvm::StringRef(productText(small, "d", "c")).split("%db").second.str() + commit.str() + wait.str());
  run.expect(FindingKind::OutOfBounds, "byte 133120 of shared memory");
  run.expect(FindingKind::UninitializedShared, "asynchronous read");
}

} // namespace
} // namespace triton::simulator
