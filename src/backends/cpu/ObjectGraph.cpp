#include "backends/cpu/ObjectGraph.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ExecutionEngine/JITLink/ELF.h"
#include "llvm/ExecutionEngine/Orc/SymbolStringPool.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstddef>

namespace triton::cpu {

namespace jitlink = llvm::jitlink;

llvm::Expected<std::unique_ptr<jitlink::LinkGraph>> graphOfObject(llvm::StringRef object) {
  // Never destroyed, because static objects may keep kernels longer.
  static auto &symbols = *new std::shared_ptr(std::make_shared<llvm::orc::SymbolStringPool>());
  auto graph = jitlink::createLinkGraphFromELFObject(llvm::MemoryBufferRef(object, "kernel"), symbols);
  if (!graph)
    return graph.takeError();
  llvm::SmallVector<jitlink::Section *> dropped;
  for (jitlink::Section &section : (*graph)->sections())
    if (section.getName().starts_with(".debug_"))
      dropped.push_back(&section);
  for (jitlink::Section *section : dropped)
    (*graph)->removeSection(*section);
  return graph;
}

std::vector<std::pair<uint64_t, uint64_t>> sectionAddresses(llvm::StringRef object, jitlink::LinkGraph &graph) {
  using namespace llvm::ELF;
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(object.data());
  const auto *sections = reinterpret_cast<const Elf64_Shdr *>(object.data() + header->e_shoff);
  const char *names = object.data() + sections[header->e_shstrndx].sh_offset;
  std::vector<std::pair<uint64_t, uint64_t>> addresses;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (!(sections[i].sh_flags & SHF_ALLOC))
      continue;
    if (jitlink::Section *section = graph.findSectionByName(names + sections[i].sh_name))
      addresses.emplace_back(header->e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr),
                             jitlink::SectionRange(*section).getStart().getValue());
  }
  return addresses;
}

} // namespace triton::cpu
