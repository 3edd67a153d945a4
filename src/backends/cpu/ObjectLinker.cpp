#include "backends/cpu/ObjectLinker.h"
#include "backends/cpu/GdbRegistration.h"
#include "backends/cpu/emitters/MathLibrary.h"
#include "backends/cpu/runtime/RuntimeSymbols.h"
#include "numerics/HostFunctions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ExecutionEngine/JITLink/ELF.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/SymbolStringPool.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <dlfcn.h>
#include <optional>

namespace triton::cpu {
namespace {

namespace jitlink = llvm::jitlink;
namespace orc = llvm::orc;

/// Shared by all links of the process. Never destroyed, because static objects may keep kernels longer.
struct LinkerState {
  jitlink::InProcessMemoryManager memory{llvm::sys::Process::getPageSizeEstimate()};
  std::shared_ptr<orc::SymbolStringPool> symbols = std::make_shared<orc::SymbolStringPool>();
};

LinkerState &linkerState() {
  static LinkerState *state = new LinkerState;
  return *state;
}

class JitLinkedObject final : public LinkedObject {
public:
  ~JitLinkedObject() override {
    if (!allocation)
      return;
    debugger.reset();
    // Unmapping memory that this process mapped does not fail, and a destructor could not report it.
    llvm::consumeError(linkerState().memory.deallocate(std::move(*allocation)));
  }
  void *find(llvm::StringRef symbol) const override { return addresses.lookup(symbol); }

  std::string image; ///< the object file, with section addresses once linked
  llvm::StringMap<void *> addresses;
  std::optional<jitlink::JITLinkMemoryManager::FinalizedAlloc> allocation;
  std::optional<GdbRegistration> debugger;
};

/// Writes the addresses of the loaded sections into the section headers of `image`, where a debugger reads them.
void setSectionAddresses(std::string &image, jitlink::LinkGraph &graph) {
  using namespace llvm::ELF;
  auto *header = reinterpret_cast<Elf64_Ehdr *>(image.data());
  auto *sections = reinterpret_cast<Elf64_Shdr *>(image.data() + header->e_shoff);
  const char *names = image.data() + sections[header->e_shstrndx].sh_offset;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (!(sections[i].sh_flags & SHF_ALLOC))
      continue;
    if (jitlink::Section *section = graph.findSectionByName(names + sections[i].sh_name))
      sections[i].sh_addr = jitlink::SectionRange(*section).getStart().getValue();
  }
}

/// The link needs no debug sections: debuggers read them in the image, and relocate them themselves.
void dropDebugSections(jitlink::LinkGraph &graph) {
  llvm::SmallVector<jitlink::Section *> dropped;
  for (jitlink::Section &section : graph.sections())
    if (section.getName().starts_with(".debug_"))
      dropped.push_back(&section);
  for (jitlink::Section *section : dropped)
    graph.removeSection(*section);
}

class LinkContext final : public jitlink::JITLinkContext {
public:
  LinkContext(JitLinkedObject &object, llvm::Error &failure)
      : JITLinkContext(nullptr), object(object), failure(failure) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override { return linkerState().memory; }

  void notifyFailed(llvm::Error error) override { failure = llvm::joinErrors(std::move(failure), std::move(error)); }

  void lookup(const LookupMap &symbols, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> done) override {
    jitlink::AsyncLookupResult result;
    for (const auto &[name, flags] : symbols) {
      void *address = findExternalSymbol(*name);
      if (!address && flags == jitlink::SymbolLookupFlags::RequiredSymbol)
        return done->run(llvm::createStringError(
            "not supported on cpu: the code calls `" + *name +
            "`, which neither the runtime nor libmvec, libm and libc define; define it or leave the call out"));
      result[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    }
    done->run(std::move(result));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() != jitlink::Scope::Local)
        object.addresses[*symbol->getName()] = symbol->getAddress().toPtr<void *>();
    setSectionAddresses(object.image, graph);
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

llvm::Expected<std::shared_ptr<LinkedObject>> linkObject(llvm::StringRef bytes) {
  auto object = std::make_shared<JitLinkedObject>();
  object->image = bytes.str();
  auto graph = jitlink::createLinkGraphFromELFObject(llvm::MemoryBufferRef(bytes, "kernel"), linkerState().symbols);
  if (!graph)
    return graph.takeError();
  dropDebugSections(**graph);
  // The memory manager is in this process, so linking ends before link() returns.
  llvm::Error failure = llvm::Error::success();
  jitlink::link(std::move(*graph), std::make_unique<LinkContext>(*object, failure));
  if (failure)
    return std::move(failure);
  object->debugger.emplace(object->image);
  return object;
}

} // namespace triton::cpu
