#include "backends/cpu/ObjectLinker.h"
#include "backends/cpu/GdbRegistration.h"
#include "backends/cpu/ObjectGraph.h"
#include "backends/cpu/emitters/MathLibrary.h"
#include "backends/cpu/runtime/RuntimeSymbols.h"
#include "numerics/HostFunctions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <dlfcn.h>
#include <optional>

namespace triton::cpu {
namespace {

namespace jitlink = llvm::jitlink;
namespace orc = llvm::orc;

/// Shared by all links of the process. Never destroyed, because static objects may keep kernels longer.
jitlink::JITLinkMemoryManager &linkerMemory() {
  static auto &memory = *new jitlink::InProcessMemoryManager(llvm::sys::Process::getPageSizeEstimate());
  return memory;
}

class JitLinkedObject final : public LinkedObject {
public:
  ~JitLinkedObject() override {
    if (!allocation)
      return;
    debugger.reset();
    // Unmapping memory that this process mapped does not fail, and a destructor could not report it.
    llvm::consumeError(linkerMemory().deallocate(std::move(*allocation)));
  }
  void *find(llvm::StringRef symbol) const override { return addresses.lookup(symbol); }

  std::string image; ///< the object file, with section addresses once linked
  llvm::StringMap<void *> addresses;
  std::optional<jitlink::JITLinkMemoryManager::FinalizedAlloc> allocation;
  std::optional<GdbRegistration> debugger;
};

class LinkContext final : public jitlink::JITLinkContext {
public:
  LinkContext(JitLinkedObject &object, llvm::Error &failure)
      : JITLinkContext(nullptr), object(object), failure(failure) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override { return linkerMemory(); }

  void notifyFailed(llvm::Error error) override { failure = llvm::joinErrors(std::move(failure), std::move(error)); }

  void lookup(const LookupMap &symbols, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> done) override {
    jitlink::AsyncLookupResult result;
    for (const auto &[name, flags] : symbols) {
      void *address = findExternalSymbol(*name);
      if (!address && flags == jitlink::SymbolLookupFlags::RequiredSymbol)
        return done->run(undefinedSymbol(*name));
      result[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    }
    done->run(std::move(result));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() != jitlink::Scope::Local)
        object.addresses[*symbol->getName()] = symbol->getAddress().toPtr<void *>();
    for (auto [place, address] : sectionAddresses(object.image, graph))
      std::memcpy(object.image.data() + place, &address, sizeof(address));
    return llvm::Error::success();
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc allocation) override {
    object.allocation = std::move(allocation);
  }

private:
  JitLinkedObject &object;
  llvm::Error &failure;
};

} // namespace

void *findExternalSymbol(llvm::StringRef name) {
  if (void *address = findRuntimeSymbol(name))
    return address;
  if (const numerics::HostFunction *function = numerics::findHostFunction(name))
    return function->address;
  std::string terminated = name.str();
  if (void *address = findMathSymbol(terminated))
    return address;
  static void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, terminated.c_str()) : nullptr;
}

llvm::Error undefinedSymbol(llvm::StringRef name) {
  return llvm::createStringError(
      ("not supported on cpu: the code calls `" + name +
       "`, which neither the runtime nor libmvec, libm and libc define; define it or leave the call out")
          .str());
}

llvm::Expected<std::shared_ptr<LinkedObject>> linkObject(llvm::StringRef bytes) {
  auto object = std::make_shared<JitLinkedObject>();
  object->image = bytes.str();
  auto graph = graphOfObject(bytes);
  if (!graph)
    return graph.takeError();
  // The memory manager is in this process, so linking ends before link() returns.
  llvm::Error failure = llvm::Error::success();
  jitlink::link(std::move(*graph), std::make_unique<LinkContext>(*object, failure));
  if (failure)
    return std::move(failure);
  object->debugger.emplace(object->image);
  return object;
}

} // namespace triton::cpu
