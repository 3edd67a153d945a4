#include "compiler/BuildIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <cstring>
#include <elf.h>
#include <link.h>

using namespace triton;

namespace {
struct Search {
  uintptr_t address; ///< of something in the wanted object
  std::string identity;
};
} // namespace

static std::string readBuildId(const char *notes, std::size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof(header));
    std::size_t nameBytes = (header.n_namesz + 3) & ~3u, descriptionBytes = (header.n_descsz + 3) & ~3u;
    std::size_t total = sizeof(header) + nameBytes + descriptionBytes;
    if (total > size)
      break;
    if (header.n_type == NT_GNU_BUILD_ID)
      return llvm::toHex(llvm::StringRef(notes + sizeof(header) + nameBytes, header.n_descsz), /*LowerCase=*/true);
    notes += total;
    size -= total;
  }
  return "";
}

static std::string describeFile(const char *path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(*path ? path : "/proc/self/exe", status))
    return "unknown";
  return std::to_string(status.getSize()) + "." +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

static int visitObject(dl_phdr_info *info, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool isWanted = false;
  std::string buildId;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address >= begin && search.address < begin + segment.p_memsz)
      isWanted = true;
    if (segment.p_type == PT_NOTE && buildId.empty())
      buildId = readBuildId(reinterpret_cast<const char *>(begin), segment.p_memsz);
  }
  if (!isWanted)
    return 0;
  search.identity = buildId.empty() ? describeFile(info->dlpi_name) : buildId;
  return 1;
}

const std::string &compiler::buildIdentity() {
  static const std::string identity = [] {
    Search search{reinterpret_cast<uintptr_t>(&visitObject), ""};
    dl_iterate_phdr(visitObject, &search);
    return search.identity;
  }();
  return identity;
}
