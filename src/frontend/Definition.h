// The syntax tree of a function, which may be parsed only when somebody needs it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace triton::frontend {

namespace ast {
struct FunctionDef;
}

/// Like a pointer to the tree. Copies share it. Thread-safe.
class Definition {
public:
  using Parse = std::function<const ast::FunctionDef *()>;

  Definition() = default;
  Definition(const ast::FunctionDef *tree) : tree(tree) {}
  /// Parses at the first use, which throws what `parse` throws, and so does the next one.
  explicit Definition(Parse parse) : later(std::make_shared<Later>(std::move(parse))) {}

  operator const ast::FunctionDef *() const {
    if (!later)
      return tree;
    std::call_once(later->once, [&] { later->tree = later->parse(); });
    return later->tree;
  }
  const ast::FunctionDef *operator->() const { return *this; }

private:
  struct Later {
    explicit Later(Parse parse) : parse(std::move(parse)) {}
    std::once_flag once;
    Parse parse;
    const ast::FunctionDef *tree = nullptr;
  };
  const ast::FunctionDef *tree = nullptr;
  std::shared_ptr<Later> later;
};

} // namespace triton::frontend
