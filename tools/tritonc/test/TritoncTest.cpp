// tritonc in the way its users run it: command lines in, text and exit code out.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

namespace {

struct Outcome {
  int code;
  std::string text; ///< standard output and standard error
};

class TritoncTest : public testing::Test {
protected:
  TritoncTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "tritonc-test-XXXXXX";
    directory = mkdtemp(pattern.data());
    std::ofstream(directory / "kernels.py") << R"(
import triton
import triton.language as tl

@triton.jit
def relu(x):
    return tl.maximum(x, 0)

@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr, F: tl.constexpr = None):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n) * factor
    if F is not None:
        value = F(value)
    tl.store(out + i, value, mask=i < n)

@triton.jit
def broken(x):
    tl.store(x, undefined)
)";
  }
  ~TritoncTest() override { std::filesystem::remove_all(directory); }

  Outcome run(const std::string &arguments, const std::string &program = TRITONC) {
    std::string command =
        "cd " + directory.string() + " && TRITON_CACHE_DIR=cache timeout 60 " + program + " " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    Outcome outcome{-1, ""};
    std::array<char, 4096> buffer;
    while (std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
      outcome.text.append(buffer.data(), count);
    int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
  }

  void expect(const std::string &arguments, int code, std::initializer_list<const char *> parts) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.text;
    for (const char *part : parts)
      EXPECT_NE(outcome.text.find(part), std::string::npos) << arguments << ": " << part << " in\n" << outcome.text;
  }

  /// Expects an ordinary error of one of the two kinds.
  void expectError(const std::string &arguments) {
    Outcome outcome = run(arguments);
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 2) << arguments << ": " << outcome.code << '\n' << outcome.text;
    EXPECT_FALSE(outcome.text.empty()) << arguments;
    EXPECT_EQ(outcome.text.find("Stack dump"), std::string::npos) << arguments << '\n' << outcome.text;
  }

  std::filesystem::path directory;
  const std::string signature = " --signature '*fp32:16,*fp32:16,i32,fp32,BLOCK=64' ";
};

} // namespace

TEST_F(TritoncTest, CompileWritesEveryArtifact) {
  expect("compile kernels.py:scale" + signature + "-o out", 0, {"scale.ttir", "scale.o"});
  for (const char *name : {"source", "ttir", "ttcir", "llir", "asm", "o", "json"})
    EXPECT_GT(std::filesystem::file_size(directory / "out" / (std::string("scale.") + name)), 0u) << name;
}

TEST_F(TritoncTest, CompileTakesOtherProcessors) {
  expect("compile kernels.py:scale" + signature + "--target cpu:x86-64-v2 -o out", 0, {"scale.asm"});
  std::ifstream file(directory / "out/scale.asm");
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text.find("ymm"), std::string::npos);
}

TEST_F(TritoncTest, CompilesForGpusAnywhere) {
  expect("compile kernels.py:scale" + signature + "--target cuda:90 -o out", 0, {"scale.ttgir", "scale.cubin"});
  for (const char *name : {"source", "ttir", "ttgir", "llir", "ptx", "cubin", "json"})
    EXPECT_GT(std::filesystem::file_size(directory / "out" / (std::string("scale.") + name)), 0u) << name;
  expect("show kernels.py:scale" + signature + "--target cuda:80 --stage ptx", 0, {".target sm_80", ".entry scale("});
  expect("show kernels.py:scale" + signature + "--target cuda:80 --num-warps 8 --stage ptx", 0, {".reqntid 256"});
  expect("show out/scale.ttgir --target cuda:90 --stage ptx", 0, {".target sm_90a", ".entry scale("});
  expect("show out/scale.ptx --target cuda:90 --stage cubin", 0, {"ELF"});
  expect("show kernels.py:scale" + signature + "--target cuda:60 --stage ptx", 1, {"`60` is not a compute capability"});
  expect("show --passes --target cuda", 0, {"ttgir: ", "convert-triton-gpu-to-llvm", "cubin: ptxas"});
}

TEST_F(TritoncTest, CompilesForAmdGpusAnywhere) {
  expect("compile kernels.py:scale" + signature + "--target hip:gfx942 -o out", 0, {"scale.amdgcn", "scale.hsaco"});
  for (const char *name : {"source", "ttir", "ttgir", "llir", "amdgcn", "hsaco", "json"})
    EXPECT_GT(std::filesystem::file_size(directory / "out" / (std::string("scale.") + name)), 0u) << name;
  expect("show out/scale.ttgir --target hip:gfx942 --stage amdgcn", 0, {"amdgcn-amd-amdhsa--gfx942", "s_endpgm"});
  expect("show out/scale.amdgcn --target hip:gfx942 --stage hsaco", 0, {"ELF"});
  expect("show out/scale.ttgir --target hip", 2, {"compiling IR for `hip` needs the architecture"});
  expect("show kernels.py:scale" + signature + "--target hip:gfx1 --stage ttir", 1, {"`gfx1` is not an architecture"});
  expect("show --passes --target hip", 0, {"ttgir: ", "amdgcn: amd-place-shared-memory, codegen", "hsaco: link"});
  expect("run kernels.py:scale --target hip:gfx942 --grid 2 --arg x=arange:f32[100]", 1,
         {"cannot load the HIP driver", "TRITON_LIBHIP_PATH"});
}

TEST_F(TritoncTest, RunsSimulated) {
  const std::string arguments = " --grid 2 --arg x=arange:f32[100] --arg factor=2.0 --arg BLOCK=64 ";
  expect("run kernels.py:scale --target sim:cuda:90" + arguments + "--arg out=empty:f32[100] --arg n=100", 0,
         {"out: fp32[100], sum 9900.000000"});
  expect("run kernels.py:scale --target sim:hip:gfx942" + arguments + "--arg out=empty:f32[100] --arg n=100", 0,
         {"out: fp32[100], sum 9900.000000"});
  expect("run kernels.py:scale --target sim:cuda:80" + arguments + "--arg out=empty:f32[90] --arg n=100", 1,
         {"kernels.py:15:5: error: access out of bounds in program (1, 0, 0)", "`out`, which has 360 bytes"});
}

TEST_F(TritoncTest, ShowPrintsAStage) {
  expect("show kernels.py:scale" + signature + "--stage ttir", 0, {"tt.func public @scale", "tt.divisibility = 16"});
  expect("show kernels.py:scale" + signature + "--stage asm", 0, {"scale:"});
  expect("show kernels.py:scale" + signature + "--stage nonsense", 2, {"no stage `nonsense`", "ttcir"});
  expect("show --passes", 0, {"ttir: ", "ttcir: ", "canonicalize"});
}

TEST_F(TritoncTest, ConstantsCanBeKernels) {
  expect("show kernels.py:scale --signature '*fp32,*fp32,i32,fp32,64,relu' --stage source", 0, {"relu"});
  expect("show kernels.py:scale --signature '*fp32,*fp32,i32,fp32,64,F=None' --stage source", 0, {"tt.store"});
}

TEST_F(TritoncTest, ShowStartsFromIr) {
  expect("compile kernels.py:scale" + signature + "-o out", 0, {});
  expect("show out/scale.ttir --stage ttcir", 0, {"scale"});
}

TEST_F(TritoncTest, RunPrintsTimesAndResults) {
  expect("run kernels.py:scale --arg x=arange:f32[100] --arg out=empty:f32[100] --arg n=100 --arg factor=2.0 "
         "--arg BLOCK=64 --grid 2 --repeat 3",
         0, {"first launch", "best of 2 more", "out: fp32[100], sum 9900.000000, min 0.000000, max 198.000000"});
  expect("run kernels.py:scale --arg 'x=3:i32[2, 2]' --arg out=zeros:i32[2,2] --arg n=4 --arg factor=-5 "
         "--arg BLOCK=64 --arg F=relu --print x",
         0, {"x: i32[2, 2]\n3 3\n3 3\n", "out: i32[2, 2], sum 0.000000"});
}

TEST_F(TritoncTest, ACrashOfAKernelIsTheKernels) {
  std::ofstream(directory / "wild.py") << R"(
import triton
import triton.language as tl

@triton.jit
def overrun(x, n):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(x + i, i.to(tl.float32) * 1e30 + 1.5e-30, mask=i < n)

@triton.jit
def divide(x, n):
    tl.store(x, tl.load(x) // n)
)";
  // Far outside: the page does not exist, on whichever thread the access happens. The signal is SIGBUS where the kernel
  // has overwritten its own arguments before, so that the address is none that the processor has.
  for (const char *threads : {"1", "2"}) {
    Outcome outcome =
        run(std::string("run wild.py:overrun --grid 1000000 --arg x=zeros:f32[100] --arg n=300000000 --threads ") +
            threads);
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    auto says = [&](const char *words) { return outcome.text.find(words) != std::string::npos; };
    EXPECT_TRUE(says("error: kernel `overrun` crashed: it accessed memory")) << outcome.text;
    EXPECT_TRUE(says("(SIGSEGV)") || says("(SIGBUS)")) << outcome.text;
    EXPECT_TRUE(says("--target sim:cuda:90")) << outcome.text;
  }
#if !__has_feature(address_sanitizer) // which notices the damage itself and says so in its own words
  // Just outside: this damages the heap behind the array, which is noticed later or never.
  Outcome outcome = run("run wild.py:overrun --grid 40 --arg x=zeros:f32[100] --arg n=40000");
  if (outcome.code != 0) {
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    EXPECT_NE(outcome.text.find("kernel `overrun`"), std::string::npos) << outcome.text;
  }
  for (const char *defect : {"defect of the compiler", "Stack dump"})
    EXPECT_EQ(outcome.text.find(defect), std::string::npos) << outcome.text;
#endif
}

TEST_F(TritoncTest, RandomArraysFollowFromNameAndSeed) {
  const std::string command = "run kernels.py:scale --arg x=rand:f32[64] --arg out=rand:f32[64] --arg n=0 "
                              "--arg factor=1.0 --arg BLOCK=64 --print x --print out";
  auto arrays = [&](const std::string &options) {
    std::string text = run(command + options).text;
    std::size_t x = text.find("\nx: "), out = text.find("\nout: ");
    return std::pair(text.substr(x + 15, out - x - 15), text.substr(out + 17));
  };
  auto [x, out] = arrays("");
  EXPECT_NE(x.substr(0, 100), out.substr(0, 100)) << "equal arrays hide confused operands";
  EXPECT_EQ(arrays(" --seed 0"), std::pair(x, out));
  auto [otherX, otherOut] = arrays(" --seed 1");
  EXPECT_NE(otherX, x);
  EXPECT_NE(otherOut, out);
}

TEST_F(TritoncTest, StrangeInputsAreOrdinaryErrors) {
  std::filesystem::create_directory(directory / "folder.py");
  std::filesystem::create_directory(directory / "folder.llir");
  std::ofstream(directory / "binary.py") << std::string("\x7f"
                                                        "ELF\0\1\2\xff\xfe",
                                                        9);
  for (const char *stage : {"ttir", "ttcir", "ttgir", "llir", "ptx"}) {
    std::ofstream(directory / ("binary." + std::string(stage))) << std::string("\x7f"
                                                                               "ELF\0\1\2\xff\xfe",
                                                                               9);
    std::ofstream(directory / ("empty." + std::string(stage))) << "";
    std::ofstream(directory / ("text." + std::string(stage))) << "This is a letter.\n";
  }
  std::ofstream(directory / "empty.py") << "";
  std::ofstream(directory / "other.txt") << "text";
  std::vector<std::string> inputs = {"folder.py", "folder.llir", "binary.py",   "empty.py",    "empty.py:kernel",
                                     "other.txt", "missing.py",  "missing.ptx", "''",          ":",
                                     ":kernel",   "/",           ".",           "kernels.py:", "/dev/null"};
  for (const char *stem : {"binary", "empty", "text"})
    for (const char *stage : {"ttir", "ttcir", "ttgir", "llir", "ptx"})
      inputs.push_back(std::string(stem) + "." + stage);
  for (const std::string &input : inputs)
    for (const char *command : {"compile", "show --stage llir --target cuda:90", "run"})
      expectError(std::string(command) + " " + input);
  for (const char *signature : {"'*'", "'*fp32:17'", "'*fp32,,'", "'x=*fp32,x=*fp32'", "'('",
                                "'i32,i32,i32,i32,i32,i32,i32'", "'i32:1:16'", "'BLOCK='", "'=3'", "'\"unclosed'"})
    expectError(std::string("show kernels.py:scale --signature ") + signature);
  expectError("show kernels.py:scale --signature '*fp32,*fp32,i32,fp32,64' --stage nonsense");
  expectError("compile kernels.py:scale --signature '*fp32,*fp32,i32,fp32,64' -o /dev/null/out");
  expectError("compile kernels.py:scale --signature '*fp32,*fp32,i32,fp32,64' --target cuda:x");
}

TEST_F(TritoncTest, InvalidLlvmIrIsAnOrdinaryError) {
  auto compile = [&](const std::string &text, const std::string &target, std::initializer_list<const char *> parts) {
    std::ofstream(directory / "user.llir") << text;
    expect("compile user.llir:k --target " + target + " -o out", 1, parts);
  };
  const std::string entry = "define void @k(ptr %p, ptr %g, i64 %b, i64 %e, ptr %s) {\n", end = "  ret void\n}\n";
  compile(entry + "  %y = add i32 %x, 1\n  %x = add i32 1, 2\n" + end, "cpu",
          {"user.llir", "not valid LLVM IR", "does not dominate"});
  compile("target triple = \"nvptx64-nvidia-cuda\"\n" + entry + end, "cpu", {"is for `nvptx64-nvidia-cuda`", "x86_64"});
  compile("target datalayout = \"e-p:32:32\"\n" + entry + end, "cpu", {"`target datalayout`", "leave it out"});
  compile("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" + entry +
              "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" + end,
          "cpu", {"has no intrinsic `llvm.nvvm.read.ptx.sreg.tid.x`"});
  compile("declare i64 @llvm.x86.rdtsc()\n" + entry + "  %t = call i64 @llvm.x86.rdtsc()\n" + end, "cuda:90",
          {"has no intrinsic `llvm.x86.rdtsc`"});
  compile("!llvm.module.flags = !{!0, !1}\n!0 = !{i32 3, !\"wrong\", i32 3}\n!1 = !{i32 2, !\"Debug Info Version\", "
          "i32 3}\n" +
              entry + end,
          "cuda:90", {"not valid LLVM IR"});
  // LLVM reads flags before it verifies them.
  compile("@g = global i32 0\n!llvm.module.flags = !{!0}\n!0 = !{}\n" + entry + end, "cpu",
          {"a module flag is not of"});
  compile("!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"PIC Level\", !\"2\"}\n" + entry + end, "cpu",
          {"module flag `PIC Level`", "leave the flag out"});
  compile(entry + "  ret void, !dbg !1\n}\n!0 = distinct !DISubprogram(name: \"k\")\n" +
              "!1 = distinct !DILocation(line: 1, scope: !0, inlinedAt: !1)\n",
          "cpu", {"a debug location is inlined at itself"});
  for (const char *constraints : {"=r,@", "=^R", "=@3R,r"}) {
    std::string call = entry;
    call.append("  %v = call i32 asm \"\", \"").append(constraints).append("\"()\n").append(end);
    compile(call, "cuda:90", {"user.llir:2:25", "a constraint of inline assembly is cut off"});
  }
  // Labels as values, which LLVM's parser would free twice, and types without a size, for which no code can be
  // generated.
  compile(entry + "  %9 = icmp slt i64 1, 32\n  select i1 %9, label %10, label %11\n" + end, "cpu",
          {"user.llir:3:17", "a label is not a value"});
  compile(entry + "  br label %next\nnext:\n  %l = phi label [ %next, %next ]\n" + end, "cuda:90",
          {"a label is not a value"});
  for (const char *type : {"label", "token", "metadata"}) {
    std::string argument = entry;
    argument.append("  %v = va_arg ptr %p, ").append(type).append("\n").append(end);
    compile(argument, "cuda:90", {"user.llir"});
  }
  compile(entry + "  %v = va_arg ptr %p, token\n" + end, "cpu", {"function k reads variable arguments"});
  // Lines of what is not a file are left out.
  std::ofstream(directory / "user.llir") << R"(define void @k(ptr %p) !dbg !1 {
  store i32 1, ptr %p, !dbg !5
  ret void
}
!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!4}
!0 = !DIFile(filename: "k.py", directory: "")
!1 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 1, type: !6, spFlags: DISPFlagDefinition, unit: !2)
!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !0, emissionKind: DebugDirectivesOnly)
!3 = distinct !DILexicalBlockFile(scope: !1, file: !5, discriminator: 0)
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DILocation(line: 2, column: 1, scope: !3)
!6 = !DISubroutineType(types: !{})
)";
  expect("compile user.llir:k -o out --target cuda:90", 0, {});
  // What LLVM finds only when it generates code is a mistake of the text's author, too.
  std::ofstream(directory / "user.llir") << entry << "  call void asm sideeffect \"nonsense\", \"\"()\n" << end;
  expect("compile user.llir:k -o out", 1, {"user.llir", "error: ", "invalid instruction mnemonic"});
}

TEST_F(TritoncTest, ErrorsOfTheKernelAreCodeOne) {
  expect("show kernels.py:broken --signature '*fp32'", 1, {"kernels.py:19:17: error:", "undefined", "^"});
}

TEST_F(TritoncTest, ErrorsOfTheCommandLineAreCodeTwo) {
  expect("", 2, {"name a command"});
  expect("dance", 2, {});
  expect("show --nonsense", 2, {"nonsense"});
  expect("show kernels.py", 2, {"3 kernels", "relu scale broken"});
  expect("show kernels.py:scale --target rocm:gfx942", 2, {"no target `rocm:gfx942`", "cuda:90", "hip:gfx942"});
  expect("show kernels.py:scale --signature '*fp33,64'", 2,
         {"`*fp33` is neither a type nor a constant", "fp16, bf16, fp32"});
  expect("show missing.py:f", 2, {"missing.py"});
  expect("show kernels.py:missing", 2, {"missing", "scale"});
  expect("run kernels.py:scale --arg n=1", 2, {"argument `x`", "missing"});
  expect("run kernels.py:scale --arg x=dance:f32[4]", 2, {"`dance` is not a filling"});
  expect("run kernels.py:scale --arg x=rand:f33[4]", 2, {"`f33` is not an element type"});
  expect("run kernels.py:scale --arg x=rand:f32[-4]", 2, {"`-4` is not an extent"});
  expect("run kernels.py:scale --grid 1,2,3,4", 2, {"at most 3"});
}

TEST_F(TritoncTest, LayoutDrawsAnEncoding) {
  const std::string blocked =
      "'#ttg.blocked<{sizePerThread=[1,2],threadsPerWarp=[8,4],warpsPerCTA=[2,1],order=[1,0]}>'";
  expect("layout " + blocked + " --shape 16x8xf16 --svg out.svg", 0,
         {"each cell: warp:lane:register", "\n 9  1:4:0  1:4:1  1:5:0"});
  std::ifstream file(directory / "out.svg");
  std::string picture(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(picture.rfind("<svg ", 0), 0u);
  EXPECT_NE(picture.find("</svg>"), std::string::npos);
}

TEST_F(TritoncTest, LayoutCountsBankConflicts) {
  const std::string shape = " --shape 32x32xf32 --access '#ttg.blocked<{sizePerThread=[1,1],threadsPerWarp=[32,1],"
                            "warpsPerCTA=[1,4],order=[0,1]}>'";
  expect("layout '#ttg.swizzled_shared<{vec=1,perPhase=1,maxPhase=1,order=[1,0]}>'" + shape, 0,
         {"32 b0", "a wavefront serves 32 lanes", "bank-conflict degree 32"});
  expect("layout '#ttg.swizzled_shared<{vec=1,perPhase=1,maxPhase=32,order=[1,0]}>'" + shape, 0,
         {"bank-conflict degree 1 (no conflict)"});
}

TEST_F(TritoncTest, FoldedPhasesSeparateRowsOfPatches) {
  const std::string buffer = "layout '#ttg.swizzled_shared<{vec=8,perPhase=1,maxPhase=8,", order = "order=[0,1]}>'",
                    patches = " --shape 64x256xf16 --access '#ttg.blocked<{sizePerThread=[8,8],threadsPerWarp=[2,32],"
                              "warpsPerCTA=[4,1],order=[1,0]}>'",
                    operand = " --shape 64x256xf16 --access '#ttg.dot_op<{opIdx=1,parent=#ttg.amd_mfma<{version=3,"
                              "warpsPerCTA=[2,2],instrShape=[32,32,8],isTransposed=true}>,kWidth=8}>'";
  const std::string folded = buffer + "fold=8," + order;
  expect(buffer + order + patches, 0, {"bank-conflict degree 8"});
  for (const std::string &access : {patches, operand})
    expect(folded + access, 0, {"bank-conflict degree 1 (no conflict)"});
  expect(buffer + "fold=3," + order + patches, 2, {"fold must be 0 or a power of two above 1"});
}

TEST_F(TritoncTest, LayoutDrawsARingOfBuffers) {
  std::ofstream(directory / "ring.ttgir") << R"(
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#matrix = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 2, order = [1, 0]}>
tt.func @f(%rows: !ttg.memdesc<3x64xf32, #row, #ttg.shared_memory>,
           %matrices: !ttg.memdesc<3x2x4xf32, #matrix, #ttg.shared_memory>) {
  tt.return
}
)";
  expect("layout ring.ttgir --value %rows", 0, {"memdesc<3x64xf32", "\n32  32 b0"});
  expect("layout ring.ttgir --value %matrices", 0, {"memdesc<3x2x4xf32", "\n1 6 b6 7 b7 4 b4 5 b5\n"});
}

TEST_F(TritoncTest, LayoutReadsFiles) {
  std::ofstream(directory / "a.ttgir") << R"(
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%x: tensor<64xf32, #blocked>, %n: i32) {
    %sum, %rest = "tt.make_pair"(%x) : (tensor<64xf32, #blocked>) -> (i32, i32)
    tt.return
  }
}
)";
  std::ofstream(directory / "b.ttgir") << R"(
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%x: tensor<64xf32, #blocked>, %n: i32) {
    %double = arith.addf %x, %x : tensor<64xf32, #blocked>
    tt.return
  }
}
)";
  expect("layout b.ttgir", 0, {"tensor<64xf32, #ttg.blocked<", "%x", "%double", "--value"});
  expect("layout b.ttgir --value %double", 0, {"0:31:1"});
  expect("layout b.ttgir --value %n", 2, {"no value `%n` with a layout"});
  expect("layout a.ttgir", 2, {"tt.make_pair"});
}

TEST_F(TritoncTest, LayoutErrors) {
  const std::string blocked = "'#ttg.blocked<{sizePerThread=[1],threadsPerWarp=[32],warpsPerCTA=[1],order=[0]}>'";
  expect("layout", 2, {"give an encoding"});
  expect("layout " + blocked, 2, {"--shape 64x32xf16"});
  expect("layout " + blocked + " --shape 64x32xf16", 2, {"the encoding has rank 1, the tensor has rank 2"});
  expect("layout " + blocked + " --shape 48xf16", 2, {"powers of two, not 48"});
  expect("layout " + blocked + " --shape 65536xf16", 2, {"65536 elements are too many to draw"});
  const std::string withShape = "layout " + blocked + " --shape=";
  for (const char *shape : {"nonsense", "64", "64x", "64xfoo", "-4xf16", "4x?xf16", "f16", "4xf16x"})
    expect(withShape + shape, 2, {"is not a shape with an element type"});
  expect("layout " + blocked + " --shape 64xf16 --value %x", 2, {"--value selects a value of a file"});
  expect("layout '#ttg.blocked<{}>' --shape 4xf16", 2, {"expected `sizePerThread`"});
  expect("layout '#ttg.shared_memory' --shape 4xf16", 2, {"is not an encoding of the dialect ttg"});
  expect("layout '#ttg.swizzled_shared<{vec=-8,perPhase=1,maxPhase=1,order=[0]}>' --shape 4xf16", 2,
         {"expected `vec`, an integer from 0 to 4294967295"});
  expect("layout '#ttg.dot_op<{opIdx=0,parent=#ttg.nvidia_mma<{versionMajor=2,versionMinor=0,warpsPerCTA=[1,1],"
         "instrShape=[16,8]}>,kWidth=3}>' --shape 16x16xf16",
         2, {"kWidth must be a power of two of at most 1024, not 3"});
  expect("layout '#ttg.nvidia_mma<{versionMajor=2,versionMinor=0,warpsPerCTA=[1,1],instrShape=[16,16]}>' "
         "--shape 16x16xf32",
         2, {"instrShape are 16 and 16; the results of mma.sync are 16 x 8"});
  expect("layout " + blocked + " --shape 64xf16 --access " + blocked, 2, {"--access belongs to shared encodings"});
  expect("layout missing.ttgir", 2, {"cannot read `missing.ttgir`"});
}

TEST_F(TritoncTest, VersionAndHelp) {
  expect("--version", 0, {"tritonc 3.9.0+nereid", "LLVM 22"});
  expect("--help", 0, {"compile", "show", "run"});
  Outcome help = run("run --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.text.find("--grid"), std::string::npos);
  EXPECT_EQ(help.text.find("--x86-"), std::string::npos) << "options of LLVM must not show";
}

TEST_F(TritoncTest, Cache) {
  expect("run kernels.py:scale --grid 4 --arg x=rand:f32[256] --arg out=empty:f32[256] --arg n=256 --arg factor=2.0 "
         "--arg BLOCK=64",
         0, {});
  expect("cache list", 0, {"KiB", "scale"});
  expect("cache size", 0, {"1 folders, ", "the limit is 16.0 GiB"});
  expect("cache verify", 0, {"1 kernels, 0 damaged"});
  for (const auto &file : std::filesystem::recursive_directory_iterator(directory / "cache"))
    if (file.path().extension() == ".json" && !file.path().filename().string().starts_with("__grp__"))
      std::ofstream(file.path(), std::ios::app) << "damage";
  expect("cache verify", 1, {"damaged: `scale` in ", "1 kernels, 1 damaged", "compiled again"});
  expect("cache prune --limit 1G", 0, {"removed 0 folders"});
  expect("cache prune --limit 0", 0, {"removed 1 folders", "0 B are left"});
  expect("cache size", 0, {"0 folders, 0 B"});
  expect("cache", 2, {"list, size, prune or verify"});
  expect("cache prune --limit big", 2, {"`big` is not a size"});
  expect("cache list --directory nowhere", 2, {"cannot use the cache `nowhere`"});
}
