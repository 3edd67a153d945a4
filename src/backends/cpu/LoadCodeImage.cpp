#include "backends/cpu/CodeImage.h"
#include "backends/cpu/CodeImageFormat.h"
#include "backends/cpu/GdbRegistration.h"

#include "base/ForkSafeMutex.h"
#include "base/PackedBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Process.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <sys/mman.h>
#include <utility>

namespace triton::cpu {
namespace {

void *mapPages(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// Addresses for the code of many kernels, of which each takes whole pages for itself. Asking the system for each one's
/// is a part of a first launch that can be saved. A page has memory when code is written to it.
constexpr std::size_t bytesAhead = std::size_t(1) << 20;
base::ForkSafeMutex aheadMutex;
char *ahead = nullptr;
std::size_t leftAhead = 0;

/// Pages that the caller unmaps; MAP_FAILED where there are none.
void *takePages(std::size_t bytes) {
  std::lock_guard lock(aheadMutex);
  if (bytes > leftAhead) {
    void *mapped = bytes < bytesAhead ? mapPages(bytesAhead) : MAP_FAILED;
    if (mapped == MAP_FAILED)
      return mapPages(bytes);
    if (leftAhead != 0)
      munmap(ahead, leftAhead);
    ahead = static_cast<char *>(mapped);
    leftAhead = bytesAhead;
  }
  leftAhead -= bytes;
  return std::exchange(ahead, ahead + bytes);
}

class LoadedImage final : public LinkedObject {
public:
  explicit LoadedImage(std::size_t bytes) : memory(takePages(bytes)), bytes(bytes) {}
  LoadedImage(const LoadedImage &) = delete;
  ~LoadedImage() override {
    debugger.reset();
    if (hasMemory())
      munmap(memory, bytes);
  }

  bool hasMemory() const { return memory != MAP_FAILED; }
  char *code() const { return static_cast<char *>(memory); }
  /// Lets the code run, which is complete.
  bool seal(std::size_t codeBytes) {
    llvm::sys::Memory::InvalidateInstructionCache(memory, codeBytes);
    return mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0;
  }
  void *find(llvm::StringRef symbol) const override {
    auto found = llvm::find_if(functions, [&](const auto &function) { return symbol == function.first; });
    return found == functions.end() ? nullptr : code() + found->second;
  }

  std::vector<std::pair<std::string, uint64_t>> functions;
  std::optional<GdbRegistration> debugger;

private:
  void *memory;
  std::size_t bytes;
};

bool fits(const CodeImageFormat &image, std::size_t objectBytes) {
  std::size_t size = image.code.size();
  auto holdsAddress = [](uint64_t place, std::size_t size) {
    return size >= sizeof(uint64_t) && place <= size - sizeof(uint64_t);
  };
  return size != 0 && llvm::all_of(image.functions, [&](auto &function) { return function.second < size; }) &&
         llvm::all_of(image.pointers,
                      [&](auto &pointer) { return holdsAddress(pointer.place, size) && pointer.target <= size; }) &&
         llvm::all_of(image.sections, [&](auto &section) {
           return holdsAddress(section.first, objectBytes) && section.second <= size;
         });
}

void writeAddress(char *place, const void *address) { std::memcpy(place, &address, sizeof(address)); }

} // namespace

llvm::Expected<std::shared_ptr<LinkedObject>> loadCodeImage(llvm::StringRef bytes, llvm::StringRef object) {
  CodeImageFormat image;
  base::PackingReader reader(bytes);
  pack(reader, image);
  if (!reader.isComplete() || !fits(image, object.size()))
    return llvm::createStringError("the image of the code is damaged");
  auto loaded =
      std::make_shared<LoadedImage>(llvm::alignTo(image.code.size(), llvm::sys::Process::getPageSizeEstimate()));
  if (!loaded->hasMemory())
    return llvm::createStringError(std::error_code(errno, std::generic_category()), "no memory for the code");
  std::memcpy(loaded->code(), image.code.data(), image.code.size());
  for (const CodeImageFormat::Pointer &pointer : image.pointers) {
    void *address = pointer.function.empty() ? loaded->code() + pointer.target : findExternalSymbol(pointer.function);
    if (!address)
      return undefinedSymbol(pointer.function);
    writeAddress(loaded->code() + pointer.place, address);
  }
  if (!loaded->seal(image.code.size()))
    return llvm::createStringError(std::error_code(errno, std::generic_category()),
                                   "the code cannot be made executable");
  for (auto [name, place] : image.functions)
    loaded->functions.emplace_back(name.str(), place);
  std::string described = object.str();
  for (auto [place, target] : image.sections)
    writeAddress(described.data() + place, loaded->code() + target);
  loaded->debugger.emplace(std::move(described));
  return loaded;
}

} // namespace triton::cpu
