#include "frontend/lowering/ConstantMethods.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <stdexcept>

using namespace triton;
using namespace triton::frontend;

namespace {

using Arguments = std::vector<ObjectRef>;

[[noreturn]] void refuse(const std::string &message) { throw std::runtime_error("TypeError: " + message); }

const std::string &text(const ObjectRef &argument) {
  if (const auto *string = argument->get<std::string>())
    return *string;
  refuse("the argument of a string's method must be a string");
}

/// Of one text, or of several in a tuple.
template <typename Predicate> ObjectRef anyOf(const ObjectRef &argument, Predicate holds) {
  if (const Tuple *tuple = argument->get<Tuple>())
    return makeObject(llvm::any_of(tuple->elements, [&](const ObjectRef &element) { return holds(text(element)); }));
  return makeObject(bool(holds(text(argument))));
}

std::string replaced(llvm::StringRef self, llvm::StringRef from, llvm::StringRef to) {
  if (from.empty())
    refuse("`replace` needs a text to look for");
  std::string result;
  for (std::size_t at; (at = self.find(from)) != llvm::StringRef::npos; self = self.drop_front(at + from.size()))
    result += (self.take_front(at) + to).str();
  return result + self.str();
}

ObjectRef split(llvm::StringRef self, const Arguments &arguments) {
  llvm::SmallVector<llvm::StringRef> parts;
  if (arguments.empty())
    llvm::SplitString(self, parts, " \t\n\r\f\v");
  else if (text(arguments[0]).empty())
    refuse("`split` needs a separator that is not empty");
  else
    self.split(parts, text(arguments[0]));
  Tuple result;
  for (llvm::StringRef part : parts)
    result.elements.push_back(makeObject(part.str()));
  return makeObject(std::move(result));
}

struct StringMethod {
  llvm::StringLiteral name;
  unsigned fewest, most; ///< arguments
  ObjectRef (*call)(llvm::StringRef self, const Arguments &arguments);
};

llvm::StringRef charactersOf(const Arguments &arguments) {
  return arguments.empty() ? llvm::StringRef(" \t\n\r\f\v") : llvm::StringRef(text(arguments[0]));
}

constexpr StringMethod stringMethods[] = {
    {"startswith", 1, 1,
     [](llvm::StringRef self, const Arguments &given) {
       return anyOf(given[0], [&](llvm::StringRef part) { return self.starts_with(part); });
     }},
    {"endswith", 1, 1,
     [](llvm::StringRef self, const Arguments &given) {
       return anyOf(given[0], [&](llvm::StringRef part) { return self.ends_with(part); });
     }},
    {"lower", 0, 0, [](llvm::StringRef self, const Arguments &) { return makeObject(self.lower()); }},
    {"upper", 0, 0, [](llvm::StringRef self, const Arguments &) { return makeObject(self.upper()); }},
    {"strip", 0, 1,
     [](llvm::StringRef self, const Arguments &given) { return makeObject(self.trim(charactersOf(given)).str()); }},
    {"lstrip", 0, 1,
     [](llvm::StringRef self, const Arguments &given) { return makeObject(self.ltrim(charactersOf(given)).str()); }},
    {"rstrip", 0, 1,
     [](llvm::StringRef self, const Arguments &given) { return makeObject(self.rtrim(charactersOf(given)).str()); }},
    {"removeprefix", 1, 1,
     [](llvm::StringRef self, const Arguments &given) {
       self.consume_front(text(given[0]));
       return makeObject(self.str());
     }},
    {"removesuffix", 1, 1,
     [](llvm::StringRef self, const Arguments &given) {
       self.consume_back(text(given[0]));
       return makeObject(self.str());
     }},
    {"replace", 2, 2,
     [](llvm::StringRef self, const Arguments &given) {
       return makeObject(replaced(self, text(given[0]), text(given[1])));
     }},
    {"find", 1, 1,
     [](llvm::StringRef self, const Arguments &given) {
       std::size_t at = self.find(text(given[0]));
       return makeInteger(at == llvm::StringRef::npos ? -1 : int64_t(at));
     }},
    {"split", 0, 1, &split},
    {"isdigit", 0, 0,
     [](llvm::StringRef self, const Arguments &) {
       return makeObject(!self.empty() && llvm::all_of(self, llvm::isDigit));
     }},
};

/// A function without keywords that takes between `fewest` and `most` arguments.
template <typename Call> ObjectRef method(llvm::StringRef name, unsigned fewest, unsigned most, const Call &call) {
  auto result = std::make_shared<HostFunction>();
  result->name = name.str();
  result->call = [name = name.str(), fewest, most, call](const Arguments &arguments,
                                                         const std::map<std::string, ObjectRef> &keywords) {
    if (!keywords.empty() || arguments.size() < fewest || arguments.size() > most)
      refuse("`" + name + "` takes " + std::to_string(fewest) + (most == fewest ? "" : " to " + std::to_string(most)) +
             " arguments by position, but " + std::to_string(arguments.size() + keywords.size()) + " were given");
    return call(arguments);
  };
  return makeObject(std::shared_ptr<const HostFunction>(std::move(result)));
}

ObjectRef integerMethod(const llvm::APSInt &value, llvm::StringRef name) {
  llvm::APInt magnitude = value.isNegative() ? -llvm::APInt(value.sext(value.getBitWidth() + 1)) : llvm::APInt(value);
  if (name == "bit_length")
    return method(name, 0, 0, [bits = magnitude.getActiveBits()](const Arguments &) { return makeInteger(bits); });
  if (name == "bit_count")
    return method(name, 0, 0, [bits = magnitude.popcount()](const Arguments &) { return makeInteger(bits); });
  return nullptr;
}

} // namespace

ObjectRef frontend::constantMethod(const Object &constant, llvm::StringRef name) {
  if (const auto *integer = constant.get<llvm::APSInt>())
    return integerMethod(*integer, name);
  if (const auto *boolean = constant.get<bool>())
    return integerMethod(llvm::APSInt::get(*boolean), name);
  if (const auto *number = constant.get<double>(); number && name == "is_integer")
    return method(name, 0, 0, [isWhole = std::isfinite(*number) && std::trunc(*number) == *number](const Arguments &) {
      return makeObject(isWhole);
    });
  if (const auto *string = constant.get<std::string>())
    for (const StringMethod &known : stringMethods)
      if (known.name == name)
        return method(name, known.fewest, known.most, [self = *string, call = known.call](const Arguments &arguments) {
          return call(self, arguments);
        });
  return nullptr;
}
