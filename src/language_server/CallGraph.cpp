#include "language_server/CallGraph.h"

#include "frontend/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

namespace triton::language_server {

using llvm::dyn_cast;

namespace {
uint64_t stampOf(llvm::StringRef text) { return llvm::xxh3_64bits(text); }
} // namespace

CallGraph::CallGraph(const Syntax &syntax) {
  llvm::StringMap<std::vector<size_t>> byName;
  for (auto [index, kernel] : llvm::enumerate(syntax.kernels))
    byName[kernel->name].push_back(index);
  std::vector<bool> isMentioned(syntax.kernels.size());
  for (auto [index, kernel] : llvm::enumerate(syntax.kernels)) {
    std::set<size_t> found;
    auto walk = [&](auto &self, const ast::Node &node) -> void {
      if (auto *name = dyn_cast<ast::Name>(&node))
        if (auto known = byName.find(name->id); known != byName.end())
          found.insert(known->second.begin(), known->second.end());
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
    };
    for (const ast::Statement *statement : kernel->definition->body)
      walk(walk, *statement);
    found.erase(index);
    for (size_t callee : found)
      isMentioned[callee] = true;
    mentioned.emplace_back(found.begin(), found.end());
    textStamps.push_back(stampOf(syntax.source->text(wholeRange(*kernel->definition))));
  }
  std::vector<bool> isCovered(syntax.kernels.size());
  auto addRoot = [&](size_t kernel) {
    rootIndices.push_back(kernel);
    for (auto [index, isReached] : llvm::enumerate(reachable(kernel)))
      isCovered[index] = isCovered[index] || isReached;
  };
  for (size_t kernel = 0; kernel < syntax.kernels.size(); ++kernel)
    if (!isMentioned[kernel])
      addRoot(kernel);
  for (size_t kernel = 0; kernel < syntax.kernels.size(); ++kernel) // Functions that call each other in a circle.
    if (!isCovered[kernel])
      addRoot(kernel);
  for (const ast::Statement *statement : frontend::moduleOf(*syntax.source).body)
    if (!llvm::isa<ast::FunctionDef>(statement))
      globalStamp = llvm::hash_combine(globalStamp, stampOf(syntax.source->text(statement->range)));
}

std::vector<bool> CallGraph::reachable(size_t kernel) const {
  std::vector<bool> isReached(mentioned.size());
  std::vector<size_t> work = {kernel};
  while (!work.empty()) {
    size_t next = work.back();
    work.pop_back();
    if (isReached[next])
      continue;
    isReached[next] = true;
    llvm::append_range(work, mentioned[next]);
  }
  return isReached;
}

uint64_t CallGraph::stamp(size_t kernel) const {
  uint64_t combined = globalStamp;
  for (auto [index, isReached] : llvm::enumerate(reachable(kernel)))
    if (isReached)
      combined = llvm::hash_combine(combined, textStamps[index]);
  return combined;
}

KernelKeys::KernelKeys(const Syntax &syntax) {
  std::map<std::string, unsigned> counts;
  for (auto [index, kernel] : llvm::enumerate(syntax.kernels)) {
    keys.push_back(kernel->name + "#" + std::to_string(counts[kernel->name]++));
    ranges.push_back(wholeRange(*kernel->definition));
    indices[keys.back()] = index;
  }
}

std::optional<uint32_t> KernelKeys::begin(const std::string &key) const {
  auto found = indices.find(key);
  return found == indices.end() ? std::nullopt : std::optional(ranges[found->second].begin);
}

std::optional<size_t> KernelKeys::holder(SourceRange range) const {
  // Kernels are in the order of the text, and the last one that begins before the range is the innermost.
  auto after =
      llvm::upper_bound(ranges, range.begin, [](uint32_t offset, SourceRange kernel) { return offset < kernel.begin; });
  while (after != ranges.begin())
    if ((--after)->end >= range.end)
      return after - ranges.begin();
  return std::nullopt;
}

bool returnsValue(const ast::FunctionDef &definition) {
  auto walk = [](auto &self, const ast::Node &node) -> bool {
    if (auto *statement = dyn_cast<ast::Return>(&node))
      return statement->value != nullptr;
    bool isFound = false;
    if (llvm::isa<ast::Statement>(node))
      ast::forEachChild(node, [&](const ast::Node &child) { isFound = isFound || self(self, child); });
    return isFound;
  };
  return llvm::any_of(definition.body, [&](const ast::Statement *statement) { return walk(walk, *statement); });
}

} // namespace triton::language_server
