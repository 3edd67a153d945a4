#include "backends/amd/library/AmdLibrary.h"

#include "base/Environment.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <vector>

namespace triton::amd {

namespace fs = llvm::sys::fs;

llvm::Expected<std::string> findAmdLibrary() {
  base::Environment environment = base::Environment::read();
  if (!environment.ocmlPath.empty()) {
    if (!fs::exists(environment.ocmlPath))
      return llvm::createStringError("TRITON_OCML_PATH names `" + environment.ocmlPath + "`, which does not exist");
    return environment.ocmlPath;
  }
  std::string rocm = environment.rocmPath.empty() ? "/opt/rocm" : environment.rocmPath;
  std::vector<std::string> places = {rocm + "/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
                                     "/usr/lib/amdgcn/bitcode"};
  for (const std::string &place : places)
    if (std::string file = place + "/ocml.bc"; fs::exists(file))
      return file;
  return llvm::createStringError("AMD's `ocml.bc` is in none of " + llvm::join(places, ", ") +
                                 "; ROCm and the package rocm-device-libs have it; TRITON_OCML_PATH may name the file, "
                                 "ROCM_PATH the folder of ROCm");
}

/// gfx90a is 9010, gfx942 is 9402, gfx1100 is 11000: the last two characters are hexadecimal digits.
static uint64_t versionOf(llvm::StringRef processor) {
  llvm::StringRef digits = processor;
  if (!digits.consume_front("gfx") || digits.size() < 3)
    return 0;
  unsigned major = 0;
  digits.drop_back(2).getAsInteger(10, major);
  return major * 1000 + llvm::hexDigitValue(digits[digits.size() - 2]) * 100 + llvm::hexDigitValue(digits.back());
}

static llvm::StringRef attributeOfKernels(const llvm::Module &module, llvm::StringRef name) {
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(name))
      return function.getFnAttribute(name).getValueAsString();
  return {};
}

void defineControlConstants(llvm::Module &module) {
  constexpr uint64_t codeObjectVersion = 500;
  llvm::StringRef processor = attributeOfKernels(module, "target-cpu");
  llvm::StringRef features = attributeOfKernels(module, "target-features");
  bool hasWideWaves = processor.starts_with("gfx9") || features.contains("+wavefrontsize64");
  bool flushes = attributeOfKernels(module, "denormal-fp-math-f32") == "preserve-sign";
  for (llvm::GlobalVariable &variable : module.globals()) {
    llvm::StringRef name = variable.getName();
    if (!variable.isDeclaration() || !name.consume_front("__oclc_"))
      continue;
    uint64_t value = llvm::StringSwitch<uint64_t>(name)
                         .Case("correctly_rounded_sqrt32", 1)
                         .Case("daz_opt", flushes)
                         .Case("wavefrontsize64", hasWideWaves)
                         .Case("ISA_version", versionOf(processor))
                         .Case("ABI_version", codeObjectVersion)
                         .Default(0); // the functions may rely neither on finite numbers nor on less precision
    variable.setInitializer(llvm::ConstantInt::get(variable.getValueType(), value));
    variable.setConstant(true);
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
  }
}

} // namespace triton::amd
