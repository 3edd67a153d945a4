// Which kernels of a file use which others, and what each of them depends on.
#pragma once

#include "language_server/Document.h"

#include <map>

namespace triton::language_server {

class CallGraph {
public:
  explicit CallGraph(const Syntax &syntax);

  /// The kernels to lower for themselves, by their index in Syntax::kernels: those that no other kernel of the file
  /// mentions. Lowering them lowers the others, with the types that they are really called with.
  const std::vector<size_t> &roots() const { return rootIndices; }
  /// A number that changes with the text of the kernel, of all that it uses, and of the file's global values.
  uint64_t stamp(size_t kernel) const;

private:
  std::vector<bool> reachable(size_t kernel) const;

  std::vector<std::vector<size_t>> mentioned;
  std::vector<size_t> rootIndices;
  std::vector<uint64_t> textStamps;
  uint64_t globalStamp = 0;
};

/// Names kernels in a way that outlives changes of the text around them.
class KernelKeys {
public:
  explicit KernelKeys(const Syntax &syntax);

  const std::string &key(size_t kernel) const { return keys[kernel]; }
  /// Where the text of a kernel begins; none when there is no such kernel any more.
  std::optional<uint32_t> begin(const std::string &key) const;
  /// The innermost kernel whose text holds the range.
  std::optional<size_t> holder(SourceRange range) const;
  uint32_t begin(size_t kernel) const { return ranges[kernel].begin; }

private:
  std::vector<std::string> keys;
  std::vector<SourceRange> ranges;
  std::map<std::string, size_t> indices;
};

/// Whether a `return` of the function has a value, as in functions that kernels call.
bool returnsValue(const ast::FunctionDef &definition);

} // namespace triton::language_server
