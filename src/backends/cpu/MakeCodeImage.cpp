#include "backends/cpu/CodeImage.h"
#include "backends/cpu/CodeImageFormat.h"
#include "backends/cpu/ObjectGraph.h"

#include "base/PackedBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLForwardCompat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/JITLink/aarch64.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"

#include <cstring>
#include <tuple>

namespace triton::cpu {
namespace {

namespace jitlink = llvm::jitlink;
namespace orc = llvm::orc;

constexpr uint64_t pageBytes = 4096; // the smallest

/// The name that both processors' relocations by an address of 8 bytes have.
constexpr jitlink::Edge::Kind addressKind = jitlink::x86_64::Pointer64;
static_assert(addressKind == jitlink::Edge::Kind(jitlink::aarch64::Pointer64));

/// Where a link pretends that things are. They are so far from each other that no distance fits into an instruction, as
/// it may be where the image is loaded.
struct Places {
  uint64_t code, functions;
};
constexpr Places firstPlaces{uint64_t(1) << 44, uint64_t(1) << 46};
constexpr Places otherPlaces{uint64_t(1) << 45, uint64_t(3) << 45};

/// Puts all segments beside each other into bytes of this process, for another address.
class ImageMemory final : public jitlink::JITLinkMemoryManager {
public:
  explicit ImageMemory(uint64_t begin) : begin(begin) {}

  void allocate(const jitlink::JITLinkDylib *, jitlink::LinkGraph &graph, OnAllocatedFunction done) override {
    jitlink::BasicLayout layout(graph);
    uint64_t size = 0;
    for (auto &[group, segment] : layout.segments()) {
      if (llvm::to_underlying(group.getMemProt()) & llvm::to_underlying(orc::MemProt::Write))
        return done(llvm::createStringError("the code has variables"));
      if (segment.Alignment.value() > pageBytes)
        return done(llvm::createStringError("the code is aligned to more than a page"));
      size = llvm::alignTo(size, segment.Alignment);
      segment.Addr = orc::ExecutorAddr(begin + size);
      size += segment.ContentSize + segment.ZeroFillSize;
    }
    code.assign(size, '\0');
    for (auto &[group, segment] : layout.segments())
      segment.WorkingMem = code.data() + (segment.Addr.getValue() - begin);
    if (llvm::Error error = layout.apply())
      return done(std::move(error));
    if (!layout.graphAllocActions().empty())
      return done(llvm::createStringError("the code registers itself"));
    done(std::make_unique<Allocation>(begin));
  }
  using JITLinkMemoryManager::allocate;
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override {
    for (FinalizedAlloc &each : allocations)
      each.release();
    done(llvm::Error::success());
  }
  using JITLinkMemoryManager::deallocate;

  std::string code;

private:
  class Allocation final : public InFlightAlloc {
  public:
    explicit Allocation(uint64_t begin) : begin(begin) {}
    void abandon(OnAbandonedFunction done) override { done(llvm::Error::success()); }
    void finalize(OnFinalizedFunction done) override { done(FinalizedAlloc(orc::ExecutorAddr(begin))); }

  private:
    uint64_t begin;
  };

  uint64_t begin;
};

/// The result of a link for certain places.
struct ImageLink {
  explicit ImageLink(Places places) : places(places), memory(places.code) {}

  const Places places;
  ImageMemory memory;
  llvm::StringMap<char> names; ///< keeps those of the format
  CodeImageFormat image;
};

class ImageContext final : public jitlink::JITLinkContext {
public:
  ImageContext(ImageLink &link, llvm::StringRef object, llvm::Error &failure)
      : JITLinkContext(nullptr), link(link), object(object), failure(failure) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override { return link.memory; }
  void notifyFailed(llvm::Error error) override { failure = llvm::joinErrors(std::move(failure), std::move(error)); }

  void lookup(const LookupMap &symbols, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> done) override {
    jitlink::AsyncLookupResult result;
    uint64_t address = link.places.functions;
    for (const auto &[name, flags] : symbols) {
      if (flags != jitlink::SymbolLookupFlags::RequiredSymbol)
        return done->run(llvm::createStringError("the code refers to `" + *name + "`, which need not exist"));
      result[name] = {orc::ExecutorAddr(address += pageBytes), llvm::JITSymbolFlags::Exported};
    }
    done->run(std::move(result));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() != jitlink::Scope::Local)
        link.image.functions.emplace_back(keep(*symbol->getName()), placeOf(symbol->getAddress()));
    for (auto [place, address] : sectionAddresses(object, graph))
      link.image.sections.emplace_back(place, address - link.places.code);
    return llvm::Error::success();
  }

  llvm::Error modifyPassConfig(jitlink::LinkGraph &, jitlink::PassConfiguration &passes) override {
    passes.PostPrunePasses.emplace_back([this](jitlink::LinkGraph &graph) { // Behind those that add blocks.
      orderBlocks(graph);
      return llvm::Error::success();
    });
    passes.PostFixupPasses.emplace_back([this](jitlink::LinkGraph &graph) {
      for (jitlink::Block *block : graph.blocks())
        for (const jitlink::Edge &edge : block->edges())
          if (edge.getKind() == addressKind)
            addPointer(placeOf(block->getFixupAddress(edge)), edge);
      return llvm::Error::success();
    });
    return llvm::Error::success();
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }

private:
  uint64_t placeOf(orc::ExecutorAddr address) const { return address.getValue() - link.places.code; }
  llvm::StringRef keep(llvm::StringRef name) { return link.names.try_emplace(name).first->first(); }

  /// A graph keeps its blocks in the order of pointers, and a layout sorts them by their addresses in the object, which
  /// those do not have that the linker has added for functions outside.
  void orderBlocks(jitlink::LinkGraph &graph) {
    for (jitlink::Section &section : graph.sections()) {
      std::vector<std::tuple<uint64_t, std::string, jitlink::Block *>> ordered;
      for (jitlink::Block *block : section.blocks())
        ordered.emplace_back(block->getAddress().getValue(), nameOf(*block), block);
      llvm::sort(ordered);
      uint64_t address = 0;
      for (auto &[oldAddress, name, block] : ordered)
        block->setAddress(orc::ExecutorAddr(address++));
    }
  }

  /// The place in the object; of what the linker has added, what it refers to.
  std::string nameOf(const jitlink::Block &block) const {
    const char *content = block.isZeroFill() ? nullptr : block.getContent().data();
    if (content >= object.begin() && content < object.end())
      return llvm::utohexstr(uint64_t(content - object.begin()), /*LowerCase=*/false, /*Width=*/16);
    std::vector<std::pair<uint64_t, std::string>> targets;
    for (const jitlink::Edge &edge : block.edges())
      targets.emplace_back(edge.getOffset(), nameOf(edge.getTarget()));
    llvm::sort(targets);
    std::string name;
    for (const auto &[offset, target] : targets)
      name += ">" + target;
    return name;
  }
  std::string nameOf(const jitlink::Symbol &symbol) const {
    if (symbol.isDefined())
      return nameOf(symbol.getBlock()) + "+" + llvm::utohexstr(symbol.getOffset(), /*LowerCase=*/false, /*Width=*/16);
    return symbol.hasName() ? (*symbol.getName()).str() : "";
  }

  /// What is added to the address of a function outside, or has no address at all, stays as it is, so that the two
  /// links differ there.
  void addPointer(uint64_t place, const jitlink::Edge &edge) {
    const jitlink::Symbol &target = edge.getTarget();
    if (target.isExternal() && edge.getAddend() == 0)
      link.image.pointers.push_back({place, keep(*target.getName()), 0});
    else if (target.isDefined())
      link.image.pointers.push_back({place, "", placeOf(target.getAddress()) + uint64_t(edge.getAddend())});
  }

  ImageLink &link;
  llvm::StringRef object;
  llvm::Error &failure;
};

llvm::Error linkImage(llvm::StringRef object, ImageLink &link) {
  auto graph = graphOfObject(object);
  if (!graph)
    return graph.takeError();
  llvm::Error failure = llvm::Error::success();
  jitlink::link(std::move(*graph), std::make_unique<ImageContext>(link, object, failure));
  if (failure)
    return failure;
  llvm::sort(link.image.functions);
  llvm::sort(link.image.pointers, [](auto &one, auto &other) { return one.place < other.place; });
  for (const CodeImageFormat::Pointer &pointer : link.image.pointers)
    std::memset(link.memory.code.data() + pointer.place, 0, sizeof(uint64_t)); // which each load fills
  link.image.code = link.memory.code;
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::string> makeCodeImage(llvm::StringRef object) {
  ImageLink first(firstPlaces), other(otherPlaces);
  if (llvm::Error error = linkImage(object, first))
    return error;
  if (llvm::Error error = linkImage(object, other))
    return error;
  if (first.image.code != other.image.code)
    return llvm::createStringError("the code depends on its address in another way than by pointers");
  base::PackingWriter writer;
  pack(writer, first.image);
  return std::move(writer.bytes);
}

} // namespace triton::cpu
