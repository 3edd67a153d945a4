#include "language_server/StrideRoles.h"

#include "frontend/AST.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace triton::language_server {

/// The array that a stride belongs to, by the stride's name; none where it is not a stride. In `stride_am` and in
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

namespace {

/// Finds addresses that add neighbouring elements to a product with a stride, as `x + m[:, None] * stride_xm + d[None,
/// :]` does: the array has one dimension more, whose stride is 1.
class Neighbours {
public:
  explicit Neighbours(const frontend::ast::FunctionDef &definition) {
    for (const frontend::ast::Statement *statement : definition.body)
      collect(*statement);
  }

  bool besides(llvm::StringRef stride) const {
    return llvm::any_of(sums, [&](const Terms &terms) {
      bool hasStride =
          llvm::any_of(terms, [&](const auto *term) { return llvm::isa<BinOp>(term) && mentions(*term, stride); });
      return hasStride && llvm::any_of(terms, [&](const auto *term) { return isNeighbours(*term); });
    });
  }

private:
  using BinOp = frontend::ast::BinOp;
  using Name = frontend::ast::Name;
  using Terms = llvm::SmallVector<const frontend::ast::Expression *, 4>;

  static const BinOp *sum(const frontend::ast::Node &node) {
    auto *operation = llvm::dyn_cast<BinOp>(&node);
    return operation && operation->op == frontend::ast::BinaryOperator::Add ? operation : nullptr;
  }

  static void addTerms(const frontend::ast::Expression &expression, Terms &terms) {
    if (const BinOp *operation = sum(expression)) {
      addTerms(*operation->left, terms);
      addTerms(*operation->right, terms);
    } else {
      terms.push_back(&expression);
    }
  }

  void collect(const frontend::ast::Node &node) {
    if (const BinOp *operation = sum(node))
      addTerms(*operation, sums.emplace_back());
    if (auto *assign = llvm::dyn_cast<frontend::ast::Assign>(&node))
      for (const frontend::ast::Expression *target : assign->targets)
        if (mentions(*assign->value, "arange"))
          addRange(*target);
    frontend::ast::forEachChild(node, [&](const frontend::ast::Node &child) { collect(child); });
  }

  void addRange(const frontend::ast::Node &target) {
    if (auto *name = llvm::dyn_cast<Name>(&target))
      ranges.insert(name->id);
    else if (auto *tuple = llvm::dyn_cast<frontend::ast::Tuple>(&target))
      for (const frontend::ast::Expression *element : tuple->elements)
        addRange(*element);
  }

  /// `d` or `d[None, :]`, where d comes from `tl.arange`.
  bool isNeighbours(const frontend::ast::Expression &term) const {
    const frontend::ast::Expression *inner = &term;
    if (auto *subscript = llvm::dyn_cast<frontend::ast::Subscript>(inner))
      inner = subscript->value;
    auto *name = llvm::dyn_cast<Name>(inner);
    return name && ranges.contains(name->id);
  }

  /// As a name, or as the last part of one.
  static bool mentions(const frontend::ast::Node &node, llvm::StringRef text) {
    auto *name = llvm::dyn_cast<Name>(&node);
    auto *attribute = llvm::dyn_cast<frontend::ast::Attribute>(&node);
    bool isFound = (name && name->id == text) || (attribute && attribute->attribute.name == text);
    frontend::ast::forEachChild(node,
                                [&](const frontend::ast::Node &child) { isFound = isFound || mentions(child, text); });
    return isFound;
  }

  std::vector<Terms> sums;
  llvm::StringSet<> ranges; ///< names of what `tl.arange` is part of
};

} // namespace

std::map<std::string, StrideRole> strideRoles(const frontend::Function &function) {
  std::map<std::string, std::vector<std::string>> arrays;
  for (const frontend::ast::Parameter &parameter : function.definition->parameters)
    if (std::optional<std::string> array = arrayOf(parameter.name.name))
      arrays[*array].push_back(parameter.name.name.str());
  std::map<std::string, StrideRole> roles;
  Neighbours neighbours(*function.definition);
  for (const auto &[array, names] : arrays) {
    unsigned hidden = neighbours.besides(names.back()) ? 1 : 0;
    unsigned count = unsigned(names.size()) + hidden;
    for (auto [index, name] : llvm::enumerate(names))
      roles[name] = {unsigned(names.size() - 1 - index) + hidden, count};
  }
  return roles;
}

} // namespace triton::language_server
