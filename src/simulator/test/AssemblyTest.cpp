// Inline assembly: sequences that declare registers, guards, immediates, ties, and what is refused.
#include "Harness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

/// The results of an assembly text on the threads' numbers: `$0` is the result, `$1` the thread's number.
std::vector<uint32_t> evaluate(llvm::StringRef assembly, llvm::StringRef constraints = "=r,r") {
  auto program = decodeText(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 asm "{0}", "{1}"(i32 %t)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %r, ptr addrspace(1) %p
  ret void
}
)",
                                          assembly, constraints)
                                .str());
  std::vector<uint32_t> out(32);
  if (program)
    launch(*program, {}, {addressOf(out)}, {allocationOf(out, "out")});
  return out;
}

void expectEach(llvm::StringRef assembly, llvm::function_ref<uint32_t(uint32_t)> expected,
                llvm::StringRef constraints = "=r,r") {
  std::vector<uint32_t> results = evaluate(assembly, constraints);
  for (uint32_t thread = 0; thread < 32; ++thread)
    EXPECT_EQ(results[thread], expected(thread)) << assembly.str() << " of " << thread;
}

TEST(Assembly, SequencesWithRegistersOfTheirOwn) {
  expectEach("{ .reg .b32 t<2>; .reg .u32 sum; // a comment\n add.u32 t0, $1, 5; mul.lo.u32 t1, t0, t0;\n"
             "/* another */ sub.u32 sum, t1, $1; mov.b32 $0, sum; }",
             [](uint32_t t) { return (t + 5) * (t + 5) - t; });
}

TEST(Assembly, GuardsAndSelections) {
  expectEach("{ .reg .pred p; setp.lt.u32 p, $1, 7; mov.u32 $0, 100; @p add.u32 $0, $1, 1; @!p mov.b32 $0, 3; }",
             [](uint32_t t) { return t < 7 ? t + 1 : 3; });
  expectEach("{ .reg .pred p, q; setp.ge.s32 p, $1, 4; setp.eq.u32 q, $1, 9; and.pred p, p, q; selp.b32 $0, 1, 2, p; }",
             [](uint32_t t) { return t == 9 ? 1 : 2; });
}

TEST(Assembly, ImmediatesAndTies) {
  expectEach("add.s32 $0, $1, -3", [](uint32_t t) { return t - 3; });
  expectEach("and.b32 $0, $1, 0x1c;", [](uint32_t t) { return t & 0x1c; });
  expectEach("add.u32 $0, $0, 8;", [](uint32_t t) { return t + 8; }, "=r,0");
  expectEach("{ .reg .f32 f; cvt.rn.f32.u32 f, $1; fma.rn.f32 f, f, 0f40000000, 1.5; cvt.rzi.u32.f32 $0, f; }",
             [](uint32_t t) { return uint32_t(t * 2 + 1.5f); });
}

TEST(Assembly, LogicBitsAndBytes) {
  expectEach("lop3.b32 $0, $1, 12, 10, 0x96;", [](uint32_t t) { return t ^ 12 ^ 10; });
  expectEach("lop3.b32 $0, $1, 12, 10, 0xca;", [](uint32_t t) { return (t & 12) | (~t & 10); });
  expectEach("prmt.b32 $0, $1, 0, 0x1000;", [](uint32_t t) { return t << 16 | t << 8 | t; });
  expectEach("shl.b32 $0, $1, 30;", [](uint32_t t) { return t << 30; });
  expectEach("shr.s32 $0, $1, 40;", [](uint32_t) { return 0u; });
}

TEST(Assembly, PartsOfWords) {
  expectEach("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, $1; mov.b32 $0, {hi, lo}; }", [](uint32_t t) { return t << 16; });
  expectEach("{ .reg .b64 w; .reg .b32 c; mov.b32 c, 7; mov.b64 w, {$1, c}; shr.u64 w, w, 1; cvt.u32.u64 $0, w; }",
             [](uint32_t t) { return t >> 1 | 0x80000000; });
  expectEach("{ .reg .u16 h; cvt.u16.u32 h, $1; cvt.u32.u8 $0, h; }", [](uint32_t t) { return t; });
  expectEach("{ .reg .u64 w; mul.wide.u32 w, $1, 0x80000000; shr.u64 w, w, 32; cvt.u32.u64 $0, w; }",
             [](uint32_t t) { return t >> 1; });
}

TEST(Assembly, SpecialRegisters) {
  expectEach("mov.u32 $0, %laneid;", [](uint32_t t) { return t; });
}

/// Refusals name what is not understood.
TEST(Assembly, RefusesWhatItDoesNotKnow) {
  const std::pair<llvm::StringLiteral, llvm::StringLiteral> texts[] = {
      {"made.up $0, $1;", "`made.up $0, $1` in inline assembly"},
      {"add.u32 $0, $1, $7;", "`$7` in inline assembly"},
      {"add.u64 $0, $1, $1;", "`add.u64 $0, $1, $1` in inline assembly"},
      {"add.u32 $0, $1, 12x;", "the number `12x` in inline assembly"},
      {"tanh.approx.f16 $0, $1;", "in inline assembly"},
      {"mov.u32 $0, %clock;", "`mov.u32 $0, %clock` in inline assembly"},
      {"{ .reg .weird a; }", "a register of type `weird` in inline assembly"},
      {"again: bra elsewhere;", "`bra elsewhere` in inline assembly: there is no such label"},
      {"atom.global.add.v2.f32 $0, [$1], $1;", "in inline assembly"},
      {"bra again;", "`bra again` in inline assembly"},
      {"add", "`add` in inline assembly"},
      {"@p", "which is not an instruction"},
      {"setp.lt.u32 $0, $1;", "in inline assembly"},
      {"popc.b16 $0, $1;", "in inline assembly"},
      {"{ .reg .pred p; neg.pred p, p; popc.pred $0, p; }", "in inline assembly"},
      {"{ .reg .b64 w; mul.wide.u64 w, 1, 2; }", "`mul.wide.u64 w, 1, 2` in inline assembly"},
      {"cvt.u32 $0, $1;", "`cvt.u32 $0, $1` in inline assembly"},
      {"mov.b32 {$0, $1}, $1;", "in inline assembly"},
  };
  for (auto [text, message] : texts) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel() {{
  %r = call i32 asm sideeffect "{0}", "=r,r"(i32 1)
  ret void
}
)",
                                                          text)
                                                .str(),
                                            diagnostic, context);
    ASSERT_TRUE(module) << text.str();
    llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, "kernel");
    ASSERT_FALSE(program) << text.str();
    std::string error = llvm::toString(program.takeError());
    EXPECT_NE(error.find(message.str()), std::string::npos) << error;
  }
}

/// Texts with pieces cut out, doubled and exchanged are decoded or refused, and what is decoded runs.
TEST(Assembly, MutatedTextsAreDecodedOrRefused) {
  const llvm::StringLiteral texts[] = {
      "{ .reg .pred p; setp.lt.u32 p, $1, 7; mov.u32 $0, 100; @p add.u32 $0, $1, 1; @!p mov.b32 $0, 3; }",
      "{ .reg .b16 lo, hi; mov.b32 {lo, hi}, $1; fma.rn.f16 lo, lo, hi, lo; mov.b32 $0, {hi, lo}; }",
      "{ .reg .f32 f; .reg .b64 w; cvt.rn.f32.u32 f, $1; mul.wide.u32 w, $1, 3; cvt.u32.u64 $0, w; }",
      "cvt.rn.f16x2.f32 $0, $1, $1; prmt.b32 $0, $0, $1, 0x3210; lop3.b32 $0, $0, $1, 5, 0x96; popc.b32 $0, $0;"};
  uint32_t random = 1;
  auto next = [&](std::size_t below) {
    return (random = random * 1664525 + 1013904223) / 7 % std::max<std::size_t>(below, 1);
  };
  unsigned decoded = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    std::string text = texts[round % std::size(texts)].str();
    for (std::size_t changes = 1 + next(3); changes != 0; --changes) {
      std::size_t from = next(text.size()), length = 1 + next(6);
      std::string piece = text.substr(from, length);
      if (next(2))
        text.erase(from, length);
      text.insert(next(text.size() + 1), piece);
      if (next(2))
        text.erase(next(text.size()), 1);
    }
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString("target triple = \"nvptx64-nvidia-cuda\"\n"
                                            "define ptx_kernel void @kernel() {\n  %r = call i32 asm sideeffect \"" +
                                                text + "\", \"=r,r\"(i32 9)\n  ret void\n}\n",
                                            diagnostic, context);
    if (!module)
      continue;
    llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, "kernel");
    if (program) {
      ++decoded;
      EXPECT_TRUE(launch(**program, {}, {}, {}).findings.empty()) << text;
    } else {
      EXPECT_NE(llvm::toString(program.takeError()), "");
    }
  }
  EXPECT_GT(decoded, 20u);
}

} // namespace
} // namespace triton::simulator
