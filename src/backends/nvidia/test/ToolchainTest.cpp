// From LLVM IR to PTX and machine code, without a GPU.

#include "backends/nvidia/Libdevice.h"
#include "backends/nvidia/Ptx.h"
#include "backends/nvidia/Ptxas.h"
#include "backends/nvidia/Toolkit.h"
#include "backends/nvidia/test/Require.h"
#include "compiler/Compiler.h"
#include "simulator/test/VectorAdd.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

using namespace triton;
using namespace triton::nvidia;

namespace {

std::unique_ptr<llvm::Module> parse(llvm::StringRef text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return module;
}

/// Sets a variable for one test.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name(name) {
    const char *old = getenv(name);
    before = old ? std::optional<std::string>(old) : std::nullopt;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (before)
      setenv(name, before->c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::optional<std::string> before;
};

PtxOptions optionsFor(const char *arch) {
  PtxOptions options;
  options.architecture = llvm::cantFail(parseArchitecture(arch));
  options.version = 80;
  return options;
}

std::string ptxOf(llvm::StringRef text, const PtxOptions &options) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(text, context);
  require(prepareModule(*module, options));
  require(linkLibdevice(*module));
  optimize(*module, options);
  return writePtx(*module, options);
}

bool contains(const std::string &text, const char *pattern) { return std::regex_search(text, std::regex(pattern)); }

compiler::CompileRequest requestFor(const char *arch) {
  compiler::CompileRequest request;
  request.irText = simulator::vectorAddText;
  request.irStage = "llir";
  request.irPath = "add.llir";
  request.target = {"cuda", arch, 32};
  return request;
}

class EveryArchitecture : public testing::TestWithParam<const char *> {};

TEST_P(EveryArchitecture, BecomesMachineCode) {
  auto kernel = compiler::compile(requestFor(GetParam()));
  llvm::StringRef ptx = kernel->artifacts.at("ptx");
  EXPECT_TRUE(ptx.contains(".entry add(")) << ptx.str();
  EXPECT_TRUE(ptx.contains(std::string(".target sm_") + GetParam())) << ptx.str();
  EXPECT_TRUE(ptx.contains(".reqntid 128")) << ptx.str();
  EXPECT_TRUE(ptx.contains("ld.global.b32")) << ptx.str();
  llvm::StringRef cubin = kernel->artifacts.at("cubin");
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(cubin, "cubin"));
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  bool hasCode = false;
  for (const llvm::object::SectionRef &section : (*object)->sections())
    hasCode |= llvm::cantFail(section.getName()) == ".text.add" && section.getSize() > 0;
  EXPECT_TRUE(hasCode);
  EXPECT_TRUE(std::regex_search(kernel->metadata, std::regex("\"n_regs\":[1-9]"))) << kernel->metadata;
  EXPECT_TRUE(std::regex_search(kernel->metadata, std::regex("\"n_spills\":0"))) << kernel->metadata;
}

INSTANTIATE_TEST_SUITE_P(All, EveryArchitecture,
                         testing::Values("75", "80", "86", "87", "89", "90", "100", "103", "120"),
                         [](const auto &info) { return "sm_" + std::string(info.param); });

TEST(Architecture, RefusesWhatThereIsNot) {
  for (const char *name : {"70", "91", "gfx942", ""}) {
    llvm::Expected<Architecture> architecture = parseArchitecture(name);
    ASSERT_FALSE(bool(architecture)) << name;
    std::string message = llvm::toString(architecture.takeError());
    EXPECT_NE(message.find("`" + std::string(name) + "` is not a compute capability"), std::string::npos) << message;
    EXPECT_NE(message.find("90"), std::string::npos) << message;
  }
}

constexpr char multiplyAddText[] = R"(
define ptx_kernel void @combine(ptr addrspace(1) %p, float %a, float %b) {
  %x = load float, ptr addrspace(1) %p, align 4
  %product = fmul float %x, %a
  %sum = fadd float %product, %b
  store float %sum, ptr addrspace(1) %p, align 4
  ret void
}
)";

TEST(Ptx, FusesOnlyWhenAllowed) {
  PtxOptions options = optionsFor("80");
  EXPECT_TRUE(contains(ptxOf(multiplyAddText, options), "fma\\.rn\\.f32"));
  options.fuseMultiplyAdd = false;
  std::string separate = ptxOf(multiplyAddText, options);
  EXPECT_FALSE(contains(separate, "fma"));
  EXPECT_TRUE(contains(separate, "mul\\.rn\\.f32")) << separate;
}

TEST(Ptx, FlushesDenormalsOnlyWhenAllowed) {
  PtxOptions options = optionsFor("80");
  EXPECT_FALSE(contains(ptxOf(multiplyAddText, options), "\\.ftz"));
  options.flushDenormals = true;
  EXPECT_TRUE(contains(ptxOf(multiplyAddText, options), "fma\\.rn\\.ftz\\.f32"));
}

TEST(Ptx, HasTheVersionAskedFor) {
  PtxOptions options = optionsFor("90");
  options.version = 84;
  EXPECT_TRUE(contains(ptxOf(simulator::vectorAddText, options), "\\.version 8\\.4"));
}

constexpr char libdeviceText[] = R"(
define ptx_kernel void @apply(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p, align 4
  %y = call float @__nv_expf(float %x)
  store float %y, ptr addrspace(1) %p, align 4
  ret void
}
declare float @__nv_expf(float)
)";

TEST(Libdevice, IsLinkedAndInlined) {
  std::string ptx = ptxOf(libdeviceText, optionsFor("90"));
  EXPECT_FALSE(contains(ptx, "__nv_expf")) << ptx;
  EXPECT_FALSE(contains(ptx, "__nvvm_reflect")) << ptx;
  EXPECT_TRUE(contains(ptx, "ex2\\.approx")) << ptx;
}

TEST(Libdevice, SaysWhereItWasLookedFor) {
  ScopedVariable variable("TRITON_LIBDEVICE_PATH", "/nowhere/libdevice.bc");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(libdeviceText, context);
  llvm::Error error = linkLibdevice(*module);
  std::string message = llvm::toString(std::move(error));
  EXPECT_NE(message.find("the kernel calls `__nv_expf` of libdevice"), std::string::npos) << message;
  EXPECT_NE(message.find("/nowhere/libdevice.bc"), std::string::npos) << message;
}

TEST(Libdevice, MayBeMissingInTheSimulator) {
  ScopedVariable variable("TRITON_LIBDEVICE_PATH", "/nowhere/libdevice.bc");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(libdeviceText, context);
  require(linkLibdevice(*module, /*mayBeMissing=*/true));
  const llvm::Function *function = module->getFunction("__nv_expf");
  EXPECT_TRUE(function->isDeclaration());
  EXPECT_TRUE(function->doesNotAccessMemory());
}

TEST(Libdevice, IsPartOfTheCacheKey) {
  std::string present = libdeviceFingerprint();
  EXPECT_NE(present, "none");
  ScopedVariable variable("TRITON_LIBDEVICE_PATH", "/nowhere/libdevice.bc");
  EXPECT_EQ(libdeviceFingerprint(), "none");
}

TEST(Libdevice, IsNotNeededWithoutCalls) {
  ScopedVariable variable("TRITON_LIBDEVICE_PATH", "/nowhere/libdevice.bc");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(simulator::vectorAddText, context);
  EXPECT_FALSE(bool(linkLibdevice(*module)));
}

/// The message of compiling, which must fail.
std::string compileError(const compiler::CompileRequest &request, base::CompilationError::Kind kind) {
  try {
    compiler::compile(request);
  } catch (const base::CompilationError &error) {
    EXPECT_EQ(error.kind, kind) << error.what();
    return error.message;
  } catch (const std::exception &error) {
    ADD_FAILURE() << "not a CompilationError: " << error.what();
  }
  return "";
}

TEST(Ptxas, ErrorNamesKernelAndKeepsThePtx) {
  compiler::CompileRequest request = requestFor("90");
  request.irStage = "ptx";
  request.irPath = "bad.ptx";
  request.irText = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry bad()\n{\n  nonsense.f32 %f1;\n}\n";
  std::string message = compileError(request, base::CompilationError::Kind::Toolchain);
  EXPECT_NE(message.find("kernel `bad` for sm_90a"), std::string::npos) << message;
  EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
  std::smatch kept;
  ASSERT_TRUE(std::regex_search(message, kept, std::regex("the PTX is kept in (\\S+)"))) << message;
  std::ifstream file(kept[1]);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, request.irText);
  EXPECT_FALSE(llvm::sys::fs::remove_directories(llvm::sys::path::parent_path(kept.str(1))));
}

/// PTX of a kernel that has so many numbers at work at a time.
std::string ptxWithNumbersAtWork(int count) {
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry pressure(.param .u64 a)\n"
                     ".reqntid 128\n{\n.reg .b64 %p;\n.reg .f32 %f<" +
                     std::to_string(count) + ">;\nld.param.u64 %p, [a];\n";
  auto f = [&](int i) { return "%f" + std::to_string(i % count); };
  for (int i = 0; i < count; ++i)
    text += "ld.global.f32 " + f(i) + ", [%p+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 3 * count; ++i)
    text += "fma.rn.f32 " + f(i) + ", " + f(i) + ", " + f(7 * i + 131) + ", " + f(i + count / 2) + ";\n";
  for (int i = 0; i < count; ++i)
    text += "st.global.f32 [%p+" + std::to_string(4 * i) + "], " + f(37 * i) + ";\n";
  return text + "ret;\n}\n";
}

TEST(Ptxas, UsesAllRegistersBeforeItSpills) {
  AssemblyOptions options;
  options.architecture = llvm::cantFail(parseArchitecture("90"));
  llvm::Expected<Assembly> fits = assemble(ptxWithNumbersAtWork(100), "pressure", options);
  ASSERT_TRUE(bool(fits)) << llvm::toString(fits.takeError());
  EXPECT_EQ(fits->spillBytes, 0);
  EXPECT_EQ(fits->localBytes, 0);
  llvm::Expected<Assembly> spills = assemble(ptxWithNumbersAtWork(400), "pressure", options);
  ASSERT_TRUE(bool(spills)) << llvm::toString(spills.takeError());
  EXPECT_GT(spills->spillBytes, 0);
  EXPECT_GT(spills->localBytes, 0);
  EXPECT_GT(spills->registers, 200); // ptxas left alone takes 32
}

TEST(Ptxas, MakesRoomForAnotherProgramIfNoMoreIsSpilledThanAllowed) {
  AssemblyOptions options;
  options.architecture = llvm::cantFail(parseArchitecture("90"));
  std::vector<unsigned> asked;
  auto assembleFor = [&](int numbers, unsigned programs, int spillBytes = 0) {
    return llvm::cantFail(
        assemble(ptxWithNumbersAtWork(numbers), "pressure", options, /*started=*/nullptr, [&](unsigned registers) {
          asked.push_back(registers);
          return analysis::ProgramsInReach{programs, spillBytes};
        }));
  };
  Assembly alone = assembleFor(200, 0);
  EXPECT_EQ(alone.spillBytes, 0);
  EXPECT_EQ(asked, std::vector<unsigned>{unsigned(alone.registers)});
  EXPECT_EQ(assembleFor(200, 4).registers, alone.registers); // 128 would spill
  EXPECT_LE(assembleFor(200, 4, /*spillBytes=*/100000).registers, 128);
  // Where nothing is spilled, ptxas takes what so many programs leave, for code that waits less.
  Assembly other = assembleFor(100, 4);
  EXPECT_EQ(other.spillBytes, 0);
  EXPECT_NE(other.registers, assembleFor(100, 0).registers);
  options.extraFlags = {"--maxrregcount=96"};
  asked.clear();
  assembleFor(50, 4);
  EXPECT_TRUE(asked.empty());
}

TEST(Ptxas, AbsenceIsTheUsersError) {
  ScopedVariable variable("TRITON_PTXAS_PATH", "/nowhere/ptxas");
  ScopedVariable always("TRITON_ALWAYS_COMPILE", "1");
  std::string message = compileError(requestFor("90"), base::CompilationError::Kind::Toolchain);
  EXPECT_NE(message.find("TRITON_PTXAS_PATH names `/nowhere/ptxas`"), std::string::npos) << message;
}

TEST(Options, AreCheckedBeforeCompiling) {
  struct Case {
    const char *expected;
    std::function<void(compiler::CompileRequest &)> change;
  } cases[] = {
      {"`num_ctas` is 3; it must be 1, 2, 4 or 8", [](auto &request) { request.options.numCtas = 3; }},
      {"`num_ctas` is 2; cuda:80 has no clusters",
       [](auto &request) {
         request.target.arch = "80";
         request.options.numCtas = 2;
       }},
      {"`num_warps` is 3; it must be a power of two", [](auto &request) { request.options.numWarps = 3; }},
      {"`maxnreg` is `many`", [](auto &request) { request.options.extra["maxnreg"] = "many"; }},
      {"`maxnreg` is 300", [](auto &request) { request.options.extra["maxnreg"] = "300"; }},
      {"`launch_cooperative_grid` is `perhaps`",
       [](auto &request) { request.options.extra["launch_cooperative_grid"] = "perhaps"; }},
      {"`launch_cooperative_grid` is true; the simulator",
       [](auto &request) {
         request.target.backend = "sim:cuda";
         request.options.extra["launch_cooperative_grid"] = "True";
       }},
      {"`70` is not a compute capability", [](auto &request) { request.target.arch = "70"; }},
  };
  for (const Case &test : cases) {
    compiler::CompileRequest request = requestFor("90");
    test.change(request);
    std::string message = compileError(request, base::CompilationError::Kind::General);
    EXPECT_NE(message.find(test.expected), std::string::npos) << message;
  }
}

TEST(Simulated, RunsTheSameLlvmIr) {
  compiler::CompileRequest request = requestFor("90");
  request.target.backend = "sim:cuda";
  auto kernel = compiler::compile(request);
  EXPECT_FALSE(kernel->artifacts.count("ptx"));
  ASSERT_TRUE(kernel->loaded);
  EXPECT_TRUE(kernel->loaded->checksAccesses());
  constexpr unsigned n = 200;
  std::vector<float> x(n), y(n), out(n, -1);
  for (unsigned i = 0; i < n; ++i)
    x[i] = float(i), y[i] = 0.5f;
  auto extent = [](unsigned index, const std::vector<float> &array) {
    return base::ArrayExtent{index, reinterpret_cast<uintptr_t>(array.data()), array.size() * sizeof(float)};
  };
  auto address = [](std::vector<float> &array) { return uint64_t(reinterpret_cast<uintptr_t>(array.data())); };
  std::vector<base::ArrayExtent> arrays = {extent(0, x), extent(1, y), extent(2, out)};
  uint64_t arguments[] = {address(x), address(y), address(out), n};
  kernel->loaded->launch({{2, 1, 1}, arguments, arrays});
  for (unsigned i = 0; i < n; ++i)
    EXPECT_EQ(out[i], float(i) + 0.5f);

  arguments[3] = n + 1; // One element beyond the arrays.
  try {
    kernel->loaded->launch({{2, 1, 1}, arguments, arrays});
    FAIL() << "an access out of bounds was not found";
  } catch (const base::SimulationError &error) {
    EXPECT_FALSE(error.findings.empty());
    EXPECT_NE(std::string(error.what()).find("out of bounds"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("program (1, 0, 0), thread 72"), std::string::npos) << error.what();
  }
}

} // namespace
