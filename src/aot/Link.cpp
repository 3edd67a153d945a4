#include "aot/Link.h"

#include "aot/CTypes.h"
#include "aot/Errors.h"
#include "aot/HeaderParser.h"
#include "aot/OutputFiles.h"
#include "aot/Text.h"
#include "base/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace triton::aot {
namespace {

/// Variants with the same constants.
struct Algorithm {
  std::string name; ///< of its function: `<kernel>_<constants>_<meta>`
  std::vector<const Variant *> variants;
};

struct LinkedKernel {
  std::string name;
  std::vector<Algorithm> algorithms; ///< in the order of the headers

  const Variant &first() const { return *algorithms.front().variants.front(); }
  Algorithm &find(const std::string &algorithm) {
    for (Algorithm &known : algorithms)
      if (known.name == algorithm)
        return known;
    return algorithms.emplace_back(Algorithm{algorithm, {}});
  }
};

std::string parametersOf(const Variant &variant) {
  std::string text;
  for (const CParameter &parameter : variant.parameters)
    text += ", " + parameter.str();
  return text;
}

//===-- Checks ------------------------------------------------------------------------------------------------------===

void checkAgainstFirst(const Variant &variant, const Variant &first) {
  if (variant.backend != first.backend)
    throw Error(variant.place + ": `" + variant.function + "` is for the backend " + variant.backend + ", but `" +
                first.function + "` (" + first.place + ") is for " + first.backend);
  if (variant.kernel == first.kernel && variant.parameters != first.parameters)
    throw Error(variant.place + ": `" + variant.function + "` takes (" + parametersOf(variant).erase(0, 2) +
                "), but `" + first.function + "` (" + first.place + ") takes (" + parametersOf(first).erase(0, 2) +
                "); variants of one kernel must have the same parameters");
}

void checkAlgorithm(const Algorithm &algorithm) {
  for (auto [index, variant] : llvm::enumerate(algorithm.variants))
    for (const Variant *earlier : llvm::ArrayRef(algorithm.variants).take_front(index))
      if (variant->hints == earlier->hints)
        throw Error(variant->place + ": `" + variant->function + "` would never be called: `" + earlier->function +
                    "` (" + earlier->place + ") has the same constants and hints");
}

/// Every name that the linked files define or call, once.
void checkNames(const std::vector<Variant> &variants, const std::vector<LinkedKernel> &kernels) {
  std::map<std::string, std::string> places;
  auto add = [&](const std::string &name, const std::string &place) {
    auto [known, isNew] = places.try_emplace(name, place);
    if (!isNew)
      throw Error(place + ": there are two functions `" + name + "`; the other one is from " + known->second);
  };
  for (const Variant &variant : variants)
    add(variant.function, variant.place);
  for (const LinkedKernel &kernel : kernels) {
    add(kernel.name, kernel.first().place);
    for (const Algorithm &algorithm : kernel.algorithms)
      add(algorithm.name, algorithm.variants.front()->place);
  }
}

std::vector<LinkedKernel> groupVariants(const std::vector<Variant> &variants) {
  std::vector<LinkedKernel> kernels;
  for (const Variant &variant : variants) {
    auto kernel = llvm::find_if(kernels, [&](const LinkedKernel &known) { return known.name == variant.kernel; });
    if (kernel == kernels.end())
      kernel = kernels.insert(kernels.end(), LinkedKernel{variant.kernel, {}});
    kernel->find(variant.kernel + "_" + variant.algorithm).variants.push_back(&variant);
    checkAgainstFirst(variant, variants.front());
    checkAgainstFirst(variant, kernel->first());
  }
  checkNames(variants, kernels);
  for (LinkedKernel &kernel : kernels)
    for (Algorithm &algorithm : kernel.algorithms) {
      checkAlgorithm(algorithm);
      // Pointers into one vector: variants with as many hints stay in the order of the headers.
      llvm::sort(algorithm.variants, [](const Variant *a, const Variant *b) {
        return std::pair(b->hintCount(), a) < std::pair(a->hintCount(), b);
      });
    }
  return kernels;
}

/// Whether the text begins as the files that this writes.
bool isResult(llvm::StringRef text) { return text.starts_with("#ifndef TT_LINK_INCLUDES\n"); }

//===-- Texts -------------------------------------------------------------------------------------------------------===

constexpr char prologue[] = R"(#ifndef TT_LINK_INCLUDES
#define TT_LINK_INCLUDES

#include <stdint.h>

$INCLUDES$
typedef $STREAM$TT_StreamTy;
typedef $RESULT$ TT_ResultTy;

#define TT_ERROR_INVALID_VALUE $INVALID$

#endif

#ifdef __cplusplus
extern "C" {
#endif
)";

constexpr char epilogue[] = R"(
#ifdef __cplusplus
}
#endif
)";

constexpr char algorithmPrototypes[] = R"(
TT_ResultTy $A$(TT_StreamTy stream$PARAMETERS$);
void load_$A$(void);
void unload_$A$(void);
)";

constexpr char kernelPrototypes[] = R"(
int $K$_get_num_algos(void);
TT_ResultTy $K$_default(TT_StreamTy stream$PARAMETERS$);
TT_ResultTy $K$(TT_StreamTy stream$PARAMETERS$, int algo_id);
void load_$K$(void);
void unload_$K$(void);
)";

constexpr char kernelFunctions[] = R"(
typedef TT_ResultTy (*$K$_func_t)(TT_StreamTy stream$PARAMETERS$);
static const $K$_func_t $K$_kernels[] = {
$TABLE$};

int $K$_get_num_algos(void) { return (int)(sizeof($K$_kernels) / sizeof($K$_kernels[0])); }

TT_ResultTy $K$(TT_StreamTy stream$PARAMETERS$, int algo_id) {
  if (algo_id < 0 || algo_id >= $K$_get_num_algos())
    return TT_ERROR_INVALID_VALUE;
  return $K$_kernels[algo_id](stream$NAMES$);
}

TT_ResultTy $K$_default(TT_StreamTy stream$PARAMETERS$) { return $K$(stream$NAMES$, 0); }

void load_$K$(void) {
$LOADS$}

void unload_$K$(void) {
$UNLOADS$}
)";

std::string writePrototypes(const LinkedKernel &kernel) {
  std::string text;
  std::string parameters = parametersOf(kernel.first());
  for (const Algorithm &algorithm : kernel.algorithms)
    text += instantiate(algorithmPrototypes, {{"A", algorithm.name}, {"PARAMETERS", parameters}});
  return text + instantiate(kernelPrototypes, {{"K", kernel.name}, {"PARAMETERS", parameters}});
}

/// ", x, n": those that the variant takes.
std::string namesOf(const Variant &variant, bool withOnes) {
  std::string text;
  for (auto [parameter, hint] : llvm::zip_equal(variant.parameters, variant.hints))
    if (withOnes || hint != 1)
      text += ", " + parameter.name;
  return text;
}

std::string conditionOf(const Variant &variant) {
  std::vector<std::string> conditions;
  for (auto [parameter, hint] : llvm::zip_equal(variant.parameters, variant.hints)) {
    if (hint == 16)
      conditions.push_back("(uintptr_t)" + parameter.name + " % 16 == 0");
    else if (hint == 1)
      conditions.push_back(parameter.name + " == 1");
  }
  return llvm::join(conditions, " && ");
}

std::string declareVariant(const Variant &variant) {
  std::string parameters;
  for (auto [parameter, hint] : llvm::zip_equal(variant.parameters, variant.hints))
    if (hint != 1)
      parameters += ", " + parameter.str();
  return "TT_ResultTy " + variant.function + "(TT_StreamTy stream" + parameters + ");\nvoid load_" + variant.function +
         "(void);\nvoid unload_" + variant.function + "(void);\n";
}

std::string writeAlgorithm(const Algorithm &algorithm) {
  const Variant &first = *algorithm.variants.front();
  std::string text = "\nTT_ResultTy " + algorithm.name + "(TT_StreamTy stream" + parametersOf(first) + ") {\n";
  for (const Variant *variant : algorithm.variants) {
    std::string condition = conditionOf(*variant);
    if (!condition.empty())
      text += "  if (" + condition + ")\n  ";
    text += "  return " + variant->function + "(stream" + namesOf(*variant, /*withOnes=*/false) + ");\n";
  }
  if (algorithm.variants.back()->hintCount() != 0)
    text += "  return TT_ERROR_INVALID_VALUE;\n";
  text += "}\n";
  for (const char *action : {"load_", "unload_"}) {
    text += "\nvoid " + (action + algorithm.name) + "(void) {\n";
    for (const Variant *variant : algorithm.variants)
      text += "  " + (action + variant->function) + "();\n";
    text += "}\n";
  }
  return text;
}

std::string writeFunctions(const LinkedKernel &kernel) {
  std::string text, table, loads, unloads;
  for (const Algorithm &algorithm : kernel.algorithms) {
    text += writeAlgorithm(algorithm);
    table += "    " + algorithm.name + ",\n";
    loads += "  load_" + algorithm.name + "();\n";
    unloads += "  unload_" + algorithm.name + "();\n";
  }
  return text + instantiate(kernelFunctions, {{"K", kernel.name},
                                              {"PARAMETERS", parametersOf(kernel.first())},
                                              {"NAMES", namesOf(kernel.first(), /*withOnes=*/true)},
                                              {"TABLE", table},
                                              {"LOADS", loads},
                                              {"UNLOADS", unloads}});
}

} // namespace

std::vector<GeneratedFile> linkHeaders(const std::vector<HeaderText> &headers) {
  if (headers.empty())
    throw Error("there are no headers to link; give those of single variants");
  std::vector<Variant> variants = parseHeaders(headers);
  std::vector<LinkedKernel> kernels = groupVariants(variants);
  const AotBackend &words = *findAotBackend(variants.front().backend);
  std::string start = instantiate(prologue, {{"INCLUDES", words.includes},
                                             {"STREAM", words.stream},
                                             {"RESULT", words.result},
                                             {"INVALID", words.invalidValue}});
  std::string prototypes, declarations = "\n", functions;
  for (const LinkedKernel &kernel : kernels) {
    prototypes += writePrototypes(kernel);
    functions += writeFunctions(kernel);
  }
  for (const Variant &variant : variants)
    declarations += declareVariant(variant);
  return {{".h", start + prototypes + epilogue}, {".c", start + declarations + prototypes + epilogue + functions}};
}

std::vector<std::string> linkFiles(const std::vector<std::string> &headers, const std::string &out) {
  std::vector<HeaderText> texts;
  for (const std::string &path : headers) {
    llvm::ErrorOr<std::string> text = base::readWholeFile(path);
    if (!text)
      throw FileError("cannot read `" + path + "`: " + text.getError().message());
    if (!isResult(*text)) // `out/*.h` also names what was linked there before
      texts.push_back({path, *text});
  }
  std::vector<GeneratedFile> files = linkHeaders(texts);
  std::vector<std::string> paths;
  for (GeneratedFile &file : files) {
    file.name = withSuffix(out, file.name);
    paths.push_back(file.name);
  }
  writeFiles(files);
  return paths;
}

} // namespace triton::aot
