#include "aot/CppGpuSource.h"

#include "aot/GpuSource.h"
#include "aot/TensorMapSource.h"
#include "aot/Text.h"

namespace triton::aot {

static constexpr char text[] = R"(
$DESCRIPTION$static const unsigned char $F$_$BINARY$[$SIZE$] = {$BYTES$
};
$CONVERT$$MAPS$
void $F$_load(tt_Code &code) {
  tt_load_$BACKEND$(code, $F$_$BINARY$, "$KERNEL$", $SHARED$);
$LOAD$}

$RESULT$ $F$(const tt_Code &tt_code_of, void *stream$PARAMETERS$) {
$CONVERSIONS$$GRID$  const $CURRENT$;
  {
    $POINTER$ tt_global_scratch = 0, tt_profile_scratch = 0;
$DECLARATIONS$    void *tt_arguments[] = {$ARGUMENTS$&tt_global_scratch, &tt_profile_scratch};
$ENCODE$    return $LAUNCH$(tt_code_of.function, (unsigned)tt_x, (unsigned)tt_y, (unsigned)tt_z, $THREADS$, 1, 1, $SHARED$,
        stream, tt_arguments, nullptr);
  }
}
)";

std::string writeCppGpuFunctions(const Specification &specification, const base::CompiledKernel &kernel) {
  requireLaunchable(specification, kernel);
  const AotBackend &words = *findAotBackend(kernel.target.backend);
  const std::string &function = specification.functionName, &binary = kernel.artifacts.at(words.binary);
  ConvertedArguments converted = convertArguments(specification);
  std::string arguments;
  for (const std::string &name : converted.names)
    arguments += "&" + name + ", ";
  TensorMapSource maps = writeTensorMaps(specification, kernel, converted.names, {"tt_cuda().", "tt_code_of.padding"});
  std::string load =
      maps.definitions.empty()
          ? ""
          : instantiate("  tt_load_padding(code, $F$_padding_bytes, sizeof($F$_padding_bytes));\n", {{"F", function}});
  return instantiate(text, {{"F", function},
                            {"DESCRIPTION", describe(specification, kernel.target.backend + ":" + kernel.target.arch)},
                            {"BACKEND", words.name},
                            {"BINARY", words.binary},
                            {"RESULT", words.result},
                            {"POINTER", words.pointer},
                            {"CURRENT", words.cppCurrent},
                            {"LAUNCH", words.cppLaunch},
                            {"KERNEL", kernel.name},
                            {"SIZE", std::to_string(binary.size())},
                            {"BYTES", initializerOf(binary)},
                            {"CONVERT", conversionFunctions(specification)},
                            {"MAPS", maps.definitions},
                            {"LOAD", load},
                            {"PARAMETERS", furtherParameters(declareAll(specification, words, /*linked=*/false))},
                            {"CONVERSIONS", converted.statements},
                            {"GRID", writeGrid(specification, words, kernel.results.blocks)},
                            {"DECLARATIONS", maps.declarations},
                            {"ARGUMENTS", arguments + maps.arguments},
                            {"ENCODE", maps.encoding},
                            {"SHARED", std::to_string(kernel.results.sharedBytes)},
                            {"THREADS", std::to_string(kernel.results.startedWarps() * kernel.target.warpSize)}});
}

} // namespace triton::aot
