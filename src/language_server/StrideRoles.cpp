#include "language_server/StrideRoles.h"

#include "frontend/AST.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::language_server {

/// The array that a stride belongs to, by the stride's name; none where it is no stride. In `stride_am` and in
/// `stride_a_m` the last part is the dimension, and in `a_stride` there is none. Where a name has nothing but a
/// dimension, as `stride_batch` has, there is one array, whose name is empty.
static std::optional<std::string> arrayOf(llvm::StringRef name) {
  constexpr size_t longestPair = 3; // letters of an array and a dimension that stand together
  llvm::SmallVector<llvm::StringRef> words, others;
  name.split(words, '_', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto isStride = [](llvm::StringRef word) {
    return word.equals_insensitive("stride") || word.equals_insensitive("strides");
  };
  llvm::copy_if(words, std::back_inserter(others), [&](llvm::StringRef word) { return !isStride(word); });
  if (others.size() == words.size())
    return std::nullopt;
  if (others.size() > 1)
    return llvm::join(llvm::ArrayRef(others).drop_back(), "_");
  if (others.empty())
    return "";
  llvm::StringRef word = others.front();
  if (isStride(words.back()))
    return word.str();
  bool isDimension = word.size() > longestPair || llvm::is_contained({"row", "col", "seq", "dim"}, word);
  return isDimension ? "" : word.drop_back().str();
}

std::map<std::string, StrideRole> strideRoles(const frontend::Function &function) {
  std::map<std::string, std::vector<std::string>> arrays;
  for (const frontend::ast::Parameter &parameter : function.definition->parameters)
    if (std::optional<std::string> array = arrayOf(parameter.name.name))
      arrays[*array].push_back(parameter.name.name.str());
  std::map<std::string, StrideRole> roles;
  for (const auto &[array, names] : arrays)
    for (auto [index, name] : llvm::enumerate(names))
      roles[name] = {unsigned(names.size() - 1 - index), unsigned(names.size())};
  return roles;
}

} // namespace triton::language_server
