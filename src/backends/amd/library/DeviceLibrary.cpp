#include "backends/amd/library/DeviceLibrary.h"

#include "backends/amd/library/AmdLibrary.h"
#include "backends/gpu/library/BitcodeLibrary.h"
#include "base/PassRunner.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/AttributeMask.h"

namespace triton::amd {
namespace {

/// The bitcode that device/*.cpp was compiled to.
constexpr unsigned char embeddedLibrary[] = {
#include "backends/amd/library/EmbeddedLibrary.inc"
};

/// `__nv_*` are the functions of tl.extra.libdevice, which the language calls by the same names on all targets.
bool isMissing(const llvm::Function &function) {
  return function.isDeclaration() &&
         (function.getName().starts_with("__ocml_") || function.getName().starts_with("__nv_"));
}

const llvm::Function *findCall(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (isMissing(function) && !function.use_empty())
      return &function;
  return nullptr;
}

/// A library's functions are compiled for no processor in particular; they become functions of the kernel's.
void takeOverAttributes(llvm::Function &function, const llvm::Function *kernel) {
  llvm::AttributeMask own;
  for (llvm::Attribute attribute : function.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute())
      own.addAttribute(attribute.getKindAsString());
  function.removeFnAttrs(own);
  // Calls are expensive on these GPUs, which save registers in memory for them; but a kernel has a copy for each of a
  // thread's elements, so the largest functions stay functions.
  constexpr unsigned most = 400;
  if (function.getInstructionCount() <= most)
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  if (!kernel)
    return;
  for (llvm::StringRef name : {"target-cpu", "target-features", "denormal-fp-math", "denormal-fp-math-f32",
                               "amdgpu-flat-work-group-size", "amdgpu-waves-per-eu", "uniform-work-group-size"})
    if (kernel->hasFnAttribute(name))
      function.addFnAttr(kernel->getFnAttribute(name));
}

const llvm::Function *findKernel(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      return &function;
  return nullptr;
}

/// Links what is missing in `module` and defined in the library, and what that needs.
llvm::Error linkMissing(llvm::Module &module, llvm::MemoryBufferRef bitcode) {
  const llvm::Function *kernel = findKernel(module);
  llvm::SmallPtrSet<const llvm::Function *, 16> earlier;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      earlier.insert(&function);
  if (llvm::Error error = backends::linkNeeded(module, bitcode))
    return error;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !earlier.contains(&function))
      takeOverAttributes(function, kernel);
  return llvm::Error::success();
}

llvm::Error linkFromAmdLibrary(llvm::Module &module, const std::string &path) {
  llvm::Expected<llvm::MemoryBufferRef> bitcode = backends::readLibrary(path);
  if (!bitcode)
    return bitcode.takeError();
  if (llvm::Error error = linkMissing(module, *bitcode))
    return error;
  defineControlConstants(module);
  return llvm::Error::success();
}

/// An error of the kernel's, not of the compiler's.
llvm::Error unknownFunction(llvm::StringRef name, const std::string &where) {
  return llvm::createStringError(base::unsupportedPrefix + "hip: the kernel calls `" + name + "`, which is " + where);
}

} // namespace

llvm::Error linkDeviceLibrary(llvm::Module &module) {
  if (!findCall(module))
    return llvm::Error::success();
  llvm::StringRef bytes(reinterpret_cast<const char *>(embeddedLibrary), sizeof(embeddedLibrary));
  if (llvm::Error error = linkMissing(module, llvm::MemoryBufferRef(bytes, "the device library")))
    return error;
  const llvm::Function *call = findCall(module);
  if (!call)
    return llvm::Error::success();
  std::string name = call->getName().str();
  llvm::Expected<std::string> path = findAmdLibrary();
  if (!path)
    return unknownFunction(name,
                           "not among the functions that Triton brings along, and " + llvm::toString(path.takeError()));
  if (llvm::Error error = linkFromAmdLibrary(module, *path))
    return error;
  if (const llvm::Function *rest = findCall(module))
    return unknownFunction(rest->getName(),
                           "neither among the functions that Triton brings along nor in `" + *path + "`");
  return llvm::Error::success();
}

std::string deviceLibraryFingerprint() { return backends::libraryFingerprint(findAmdLibrary()); }

} // namespace triton::amd
