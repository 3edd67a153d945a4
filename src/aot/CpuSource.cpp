#include "aot/CpuSource.h"

#include "aot/Assembly.h"
#include "aot/Errors.h"
#include "aot/Text.h"

#include "backends/cpu/emitters/TargetDescription.h"
#include "base/Errors.h"
#include "compiler/Compiler.h"
#include "numerics/HostFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace triton::aot {
namespace {

using llvm::StringRef;

/// A function or variable of the runtime that kernels use, and what stands for it in a program without the runtime.
struct Import {
  StringRef symbol;
  StringRef definition;
};

// Nothing interrupts a kernel here, and an assertion ends the program.
constexpr Import imports[] = {
    {"triton_cpu_attention", R"(
__attribute__((used, visibility("hidden"))) int32_t $F$_triton_cpu_attention = 0;
)"},
    {"triton_cpu_tick", R"(
__attribute__((used, visibility("hidden"))) void $F$_triton_cpu_tick(void);
void $F$_triton_cpu_tick(void) {}
)"},
    {"triton_cpu_nanoseconds", R"(
__attribute__((used, visibility("hidden"))) int64_t $F$_triton_cpu_nanoseconds(void);
int64_t $F$_triton_cpu_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
)"},
    {"triton_cpu_assert_fail", R"(
__attribute__((used, visibility("hidden"))) void $F$_triton_cpu_assert_fail(int32_t x, int32_t y, int32_t z,
                                                                            const char *message, const char *location);
void $F$_triton_cpu_assert_fail(int32_t x, int32_t y, int32_t z, const char *message, const char *location) {
  fprintf(stderr, "device assertion failed: %s\n  at %s\n  in program (%d, %d, %d)\n", message ? message : "",
          location ? location : "", (int)x, (int)y, (int)z);
  abort();
}
)"},
};

constexpr char declarations[] = R"(#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
$FIRST$#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
$TILES$$INCLUDES$
#if !defined($MACRO$) || !defined(__ELF__)
#error "this file holds assembly for $ARCHITECTURE$ and ELF"
#endif

#ifdef __cplusplus
extern "C" {
#endif

void unload_$F$(void);
void load_$F$(void);
$RESULT$ $F$($STREAM$stream$PARAMETERS$);
/* Runs the programs from `begin` to before `end`, numbered with the first extent of the grid running fastest. */
void $F$_programs(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch);
)";

constexpr char code[] = R"(
#ifdef __cplusplus
}
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
/* clang-format off */
__asm__(
$ASSEMBLY$);
/* clang-format on */
#pragma GCC diagnostic pop
)";

// With OpenMP, threads share the programs; each has scratch memory of its own.
constexpr char running[] = R"(
static int $F$_run(const uint64_t *arguments, const int32_t *grid, int64_t programs) {
  const int64_t pieces = $PIECES$;
  int failed = 0;
#ifdef _OPENMP
#pragma omp parallel reduction(| : failed) if (pieces > 1)
#endif
  {
    int64_t piece;
    char *memory = (char *)malloc($SCRATCH$ + 64);
    void *scratch = memory == NULL ? NULL : (void *)(memory + (64 - (uintptr_t)memory % 64));
    if (memory == NULL)
      failed = 1;
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
    for (piece = 0; piece < pieces; ++piece)
      if (memory != NULL)
        $F$_programs(arguments, grid, programs / pieces * piece + programs % pieces * piece / pieces,
                     programs / pieces * (piece + 1) + programs % pieces * (piece + 1) / pieces, scratch);
    free(memory);
  }
  return failed ? ENOMEM : 0;
}
)";

constexpr char launching[] = R"(
/* The first feature of the code that this processor lacks; NULL: none. */
static const char *$F$_missing_feature(void) {
$FEATURES$  return NULL;
}

void load_$F$(void) {
  const char *missing = $F$_missing_feature();
  if (missing != NULL) {
    fprintf(stderr, "Triton Error [CPU]: $F$: the kernel needs a processor with %s\n", missing);
    exit(ENOEXEC);
  }
}

void unload_$F$(void) {}

$RESULT$ $F$($STREAM$stream$PARAMETERS$) {
$CONVERSIONS$$GRID$  (void)stream;
  if (tt_y * tt_z > INT64_MAX / tt_x)
    return EINVAL;
  if ($F$_missing_feature() != NULL)
    return ENOEXEC;
  {
    const int32_t tt_grid[3] = {(int32_t)tt_x, (int32_t)tt_y, (int32_t)tt_z};
    uint64_t tt_arguments[$COUNT$] = {0};
$COPIES$    return $F$_run(tt_arguments, tt_grid, tt_x * tt_y * tt_z);
  }
}
)";

/// Each line of the text as a string of C.
std::string quoteLines(StringRef text) {
  std::string result;
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    result += '"';
    for (char c : line) {
      if (c == '\t')
        result += "\\t";
      else if (c == '"' || c == '\\')
        (result += '\\') += c;
      else
        result += c;
    }
    result += "\\n\"\n";
  }
  result.pop_back();
  return result;
}

// The answer to the request for tiles holds for the process; threads that ask at the same time get the same one.
constexpr char tilePermission[] = R"(
/* Linux lets a process use AMX after it has asked for tile data by ARCH_REQ_XCOMP_PERM. */
static int $F$_may_use_tiles(void) {
  static int answer;
  if (__atomic_load_n(&answer, __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&answer, syscall(SYS_arch_prctl, 0x1023, 18) == 0 ? 1 : -1, __ATOMIC_RELAXED);
  return __atomic_load_n(&answer, __ATOMIC_RELAXED) == 1;
}
)";

// Compilers do not know this feature by name before gcc 13.
constexpr char tileFloat16Test[] = R"(  {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || (a & 1u << 21) == 0)
      return "amx-fp16";
  }
)";

const cpu::TargetDescription &targetOf(const std::string &arch) {
  llvm::Expected<const cpu::TargetDescription &> target = cpu::describeTarget(arch);
  if (!target)
    throw Error(llvm::toString(target.takeError()));
  return *target;
}

std::string refuse(const std::string &condition, StringRef feature) {
  return ("  if (" + condition + ")\n    return \"" + feature + "\";\n").str();
}

std::string writeFeatureTest(StringRef feature) {
  return refuse(("!__builtin_cpu_supports(\"" + feature + "\")").str(), feature);
}

constexpr StringRef registerLength = "sve-bits-";

/// By the system's words, because older compilers have no function for it.
std::string writeCapabilityTest(StringRef feature) {
  if (StringRef bits = feature; bits.consume_front(registerLength))
    return refuse(("(prctl(51) & 0xffff) * 8 != " + bits + " /* PR_SVE_GET_VL */").str(),
                  ("sve with vectors of " + bits + " bits").str());
  const cpu::HardwareCapability *capability = cpu::findCapability(feature);
  if (!capability)
    return ""; // the architecture, for which the text is compiled
  return refuse("(getauxval(" + std::to_string(capability->word) + ") >> " + std::to_string(capability->bit) +
                    " & 1) == 0",
                feature);
}

/// What the assembler must accept, as strings of C. Whether the processor has it is tested at run time.
std::string writeAssemblerLevel(const std::string &arch) {
  std::vector<std::string> features = testedFeatures(arch);
  auto has = [&](StringRef feature) { return llvm::is_contained(features, feature); };
  if (features.size() <= 2) // those of every processor
    return "";
  std::string level = "\t.arch armv8.6-a+fp16+fp16fml";
  for (StringRef extension : {"sve", "sve2", "sve2-bitperm", "f32mm", "f64mm", "sme", "cssc", "mops"})
    if (has(extension))
      level += ("+" + extension).str();
  if (!has("sme-f64f64"))
    return quoteLines(level) + "\n";
  // GNU's assembler and LLVM's have different names for it.
  return "#ifdef __clang__\n" + quoteLines(level + "+sme-f64f64") + "\n#else\n" + quoteLines(level + "+sme-f64") +
         "\n#endif\n";
}

/// Tiles need permission, so that kernels ask only if they use them.
std::string writeFeatureTests(const std::string &arch, bool usesTiles) {
  std::string tests;
  bool isAArch64 = targetOf(arch).isAArch64();
  for (const std::string &feature : testedFeatures(arch))
    tests += isAArch64 ? writeCapabilityTest(feature) : writeFeatureTest(feature);
  if (!usesTiles)
    return tests;
  for (const std::string &feature : testedTileFeatures(arch))
    tests += feature == "amx-tile"   ? refuse("!$F$_may_use_tiles()", "amx-tile, which the system does not permit")
             : feature == "amx-fp16" ? tileFloat16Test
                                     : writeFeatureTest(feature);
  return tests;
}

} // namespace

std::vector<std::string> testedFeatures(const std::string &arch) {
  const cpu::TargetDescription &target = targetOf(arch);
  std::vector<std::string> features;
  if (target.isAArch64())
    features.push_back(cpu::baselineOf(target.architecture).str());
  // Tiles are tested where a kernel uses them, and gcc has no name for the other.
  for (StringRef feature : cpu::listInstructionSets(target))
    if (!feature.starts_with("amx-") && feature != "avxvnniint8")
      features.push_back(feature.str());
  if (target.isAArch64() && target.vectorBits > 128)
    features.push_back(registerLength.str() + std::to_string(target.vectorBits));
  return features;
}

bool usesTiles(const base::CompiledKernel &kernel) {
  return StringRef(compiler::artifact(kernel, "asm")).contains("ldtilecfg");
}

std::vector<std::string> testedTileFeatures(const std::string &arch) {
  const cpu::TargetDescription &target = targetOf(arch);
  std::vector<std::string> features;
  if (target.hasTileBFloat16)
    features.emplace_back("amx-bf16");
  if (target.hasTileInt8)
    features.emplace_back("amx-int8");
  if (target.hasTileFloat16)
    features.emplace_back("amx-fp16");
  features.emplace_back("amx-tile");
  return features;
}

std::vector<std::string> importedSymbols(const Specification &specification, const base::CompiledKernel &kernel) {
  const std::string &bytes = kernel.artifacts.at("o");
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, specification.kernelName));
  if (!object)
    throw base::InternalError("the object code of `" + specification.kernelName +
                              "`: " + llvm::toString(object.takeError()));
  std::vector<std::string> symbols;
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      throw base::InternalError(
          "the object code of `" + specification.kernelName +
          "` has a damaged table of symbols: " + llvm::toString(llvm::joinErrors(flags.takeError(), name.takeError())));
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty())
      continue;
    bool isProvided = llvm::any_of(imports, [&](const Import &import) { return import.symbol == *name; });
    if (name->starts_with("triton_cpu_") && !isProvided)
      throw KernelError("kernel `" + specification.kernelName +
                        "` cannot be written as C for the CPU: it prints, which only "
                        "the runtime can do");
    if (numerics::findHostFunction(*name))
      throw KernelError("kernel `" + specification.kernelName + "` cannot be written as C for the CPU: it calls `" +
                        name->str() + "`, which only the runtime has");
    symbols.push_back(name->str());
  }
  llvm::sort(symbols);
  return symbols;
}

std::string writeCpuSource(const Specification &specification, const base::CompiledKernel &kernel,
                           const AotBackend &words) {
  const std::string &function = specification.functionName;
  std::vector<std::string> symbols = importedSymbols(specification, kernel);
  std::vector<std::string> provided;
  std::string definitions;
  for (const Import &import : imports)
    if (llvm::is_contained(symbols, import.symbol)) {
      provided.push_back(import.symbol.str());
      definitions += instantiate(import.definition, {{"F", function}});
    }
  bool isAArch64 = targetOf(kernel.options.arch).isAArch64();
  std::string assembly = isAArch64 ? writeAssemblerLevel(kernel.options.arch) : "";
  assembly += quoteLines(embedAssembly(compiler::artifact(kernel, "asm"), isAArch64 ? aarch64Assembly : x86Assembly,
                                       function, kernel.name, function + "_programs", provided));
  bool needsTiles = usesTiles(kernel);
  if (needsTiles)
    definitions += instantiate(tilePermission, {{"F", function}});
  ConvertedArguments converted = convertArguments(specification);
  std::string copies;
  for (auto [index, name] : llvm::enumerate(converted.names))
    copies += instantiate("    memcpy(&tt_arguments[$I$], &$N$, sizeof($N$));\n",
                          {{"I", std::to_string(index)}, {"N", name}});
  std::string arch = kernel.options.arch.empty() ? "this machine's processor" : kernel.options.arch;
  const std::pair<StringRef, std::string> values[] = {
      {"F", function},
      {"INCLUDES", words.includes},
      {"FIRST", needsTiles ? "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE /* for syscall */\n#endif\n" : ""},
      {"TILES", needsTiles  ? "#include <cpuid.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
                : isAArch64 ? "#include <sys/auxv.h>\n#include <sys/prctl.h>\n"
                            : ""},
      {"MACRO", isAArch64 ? "__aarch64__" : "__x86_64__"},
      {"ARCHITECTURE", isAArch64 ? "AArch64" : "x86-64"},
      {"RESULT", words.result},
      {"STREAM", words.stream},
      {"PARAMETERS", furtherParameters(declareAll(specification, words, /*linked=*/false))},
      {"ASSEMBLY", assembly},
      {"PIECES", "programs < 256 ? programs : 256"},
      {"SCRATCH", std::to_string(kernel.results.scratchBytes)},
      {"FEATURES", instantiate(writeFeatureTests(kernel.options.arch, needsTiles), {{"F", function}})},
      {"CONVERSIONS", converted.statements},
      {"GRID", writeGrid(specification, words, kernel.results.blocks)},
      {"COUNT", std::to_string(std::max<std::size_t>(converted.names.size(), 1))},
      {"COPIES", copies},
  };
  return describe(specification, "cpu, for " + arch) + instantiate(declarations, values) + definitions +
         instantiate(code, values) + conversionFunctions(specification) + instantiate(running, values) +
         instantiate(launching, values);
}

} // namespace triton::aot
