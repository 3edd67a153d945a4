#include "aot/HeaderParser.h"

#include "aot/AotBackend.h"
#include "aot/Errors.h"
#include "aot/Specification.h"
#include "aot/Text.h"

#include "base/SplitAtCommas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace triton::aot {
namespace {

using llvm::StringRef;

/// A hint of a variant's name: `3d`, the fourth parameter of the kernel is divisible.
struct NamedHint {
  unsigned position;
  int value;
};

class HeaderParser {
public:
  explicit HeaderParser(const HeaderText &header) : header(header) {}

  std::vector<Variant> parse() {
    for (StringRef text : llvm::split(header.text, '\n')) {
      ++line;
      text = text.trim();
      if (!text.consume_front("//"))
        continue;
      text = text.ltrim();
      if (text.consume_front("tt-linker-backend:"))
        readBackend(text.trim());
      else if (text.consume_front("tt-linker-parameters:"))
        readPositions(text.trim());
      else if (text.consume_front("tt-linker:"))
        readVariant(text.trim());
    }
    if (variants.empty())
      throw Error(header.path +
                  ": this is not a header of the ahead-of-time compiler: it does not have the line `// tt-linker:`");
    return std::move(variants);
  }

private:
  std::string place() const { return header.path + ":" + std::to_string(line); }
  [[noreturn]] void fail(const std::string &message) const { throw Error(place() + ": " + message); }

  void readBackend(StringRef text) {
    if (!findAotBackend(text))
      fail("there is no backend `" + text.str() + "`");
    backend = text.str();
  }

  void readPositions(StringRef text) {
    positions.emplace();
    for (StringRef item : llvm::split(text, ' ')) {
      unsigned position = 0;
      if (item.empty())
        continue;
      if (item.getAsInteger(10, position))
        fail("`" + item.str() + "` is not the number of a parameter");
      positions->push_back(position);
    }
  }

  void readVariant(StringRef text) {
    auto [function, rest] = text.split(':');
    auto [parameters, algorithm] = rest.rsplit(':');
    if (rest.empty() || algorithm.empty() || !rest.contains(':'))
      fail("a line `// tt-linker:` has three parts: function, parameters and constants");
    if (backend.empty())
      fail("a line `// tt-linker-backend:` must come first");
    Variant variant;
    variant.place = place();
    variant.backend = backend;
    variant.function = function.trim().str();
    variant.algorithm = algorithm.trim().str();
    if (!isIdentifier("_" + variant.algorithm))
      fail("`" + variant.algorithm + "` is not a part of a name of C");
    readParameters(variant, parameters);
    readHints(variant, readName(variant));
    positions.reset();
    variants.push_back(std::move(variant));
  }

  void readParameters(Variant &variant, StringRef text) {
    if (text.trim().empty())
      return;
    for (StringRef item : base::splitAtCommas(text)) {
      StringRef name = item;
      std::size_t end = name.find_last_of(" *");
      std::string type = end == StringRef::npos ? "" : name.take_front(end + 1).trim().str();
      name = end == StringRef::npos ? "" : name.drop_front(end + 1);
      if (type.ends_with("*") && type.size() > 1 && type[type.size() - 2] != ' ')
        type.insert(type.size() - 1, " ");
      if (type.empty() || !isIdentifier(name))
        fail("`" + item.str() + "` is not a parameter of C");
      variant.parameters.push_back({type, name.str()});
    }
  }

  /// Splits `<kernel>_<hash>_<suffix>`; returns the suffix.
  StringRef readName(Variant &variant) {
    auto [front, suffix] = StringRef(variant.function).rsplit('_');
    auto [kernel, hash] = front.rsplit('_');
    if (!isIdentifier(variant.function) || kernel.empty() || hash.size() != 8 || !llvm::all_of(hash, llvm::isHexDigit))
      fail("`" + variant.function + "` is not a valid kernel name; it must be <kernel>_<hash>_<hints>");
    variant.kernel = kernel.str();
    return suffix;
  }

  std::vector<NamedHint> splitHints(const Variant &variant, StringRef suffix) {
    std::vector<NamedHint> hints;
    while (!suffix.empty()) {
      NamedHint hint{0, 0};
      bool isNumber = !suffix.consumeInteger(10, hint.position);
      hint.value = suffix.starts_with("d") ? 16 : suffix.starts_with("c") ? 1 : 0;
      if (!isNumber || hint.value == 0)
        fail("`" + variant.function + "` is not a valid kernel name: its hints are not numbers, each with d or c");
      suffix = suffix.drop_front();
      hints.push_back(hint);
    }
    return hints;
  }

  void readHints(Variant &variant, StringRef suffix) {
    variant.hints.assign(variant.parameters.size(), 0);
    if (positions && positions->size() != variant.parameters.size())
      fail("the line `// tt-linker-parameters:` has " + std::to_string(positions->size()) + " numbers for " +
           std::to_string(variant.parameters.size()) + " parameters");
    for (NamedHint hint : splitHints(variant, suffix)) {
      // Other compilers write no positions; theirs are those of the kernel if no constant stands before a parameter.
      std::size_t index = hint.position;
      if (positions)
        index = std::size_t(llvm::find(*positions, hint.position) - positions->begin());
      if (index >= variant.parameters.size())
        fail("the name `" + variant.function + "` has a hint for parameter " + std::to_string(hint.position) +
             ", which its parameters do not have");
      variant.hints[index] = hint.value;
    }
  }

  const HeaderText &header;
  unsigned line = 0;
  std::string backend;
  std::optional<std::vector<unsigned>> positions; ///< in the kernel, of the parameters of the next variant
  std::vector<Variant> variants;
};

} // namespace

unsigned Variant::hintCount() const {
  return unsigned(llvm::count_if(hints, [](int hint) { return hint != 0; }));
}

std::vector<Variant> parseHeaders(const std::vector<HeaderText> &headers) {
  std::vector<Variant> variants;
  for (const HeaderText &header : headers)
    llvm::append_range(variants, HeaderParser(header).parse());
  return variants;
}

} // namespace triton::aot
