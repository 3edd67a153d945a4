#include "compiler/CacheKey.h"

#include "base/Source.h"
#include "compiler/BuildIdentity.h"
#include "frontend/lowering/builtins/Builtin.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"

#include <set>
#include <utility>

using namespace triton;
using namespace triton::compiler;
using frontend::Function;
using frontend::Object;
using frontend::ObjectRef;

namespace {

/// Hashes functions and the objects that they reach, each function once.
class SourceHasher {
public:
  void add(const Function &function);
  void add(const Object &object);
  void add(const frontend::AggregateClass &type);
  void add(llvm::StringRef text) {
    hasher.update(text);
    hasher.update(llvm::StringRef("\0", 1));
  }
  std::string finish() {
    addReached();
    addAttributes();
    return llvm::toHex(hasher.final(), /*LowerCase=*/true);
  }

private:
  void addReached();
  void addAttributes();
  void addAttribute(const std::string &path, const ObjectRef &owner, llvm::StringRef name, unsigned depth);
  void readWords();
  void addNames(const Function &function, llvm::StringRef text);
  void addGlobal(ObjectRef object, llvm::StringRef dottedName);
  void passOn(const Object &object);

  llvm::BLAKE3 hasher;
  llvm::SmallPtrSet<const Function *, 16> seen;
  llvm::SmallPtrSet<const frontend::AggregateClass *, 4> seenClasses;
  std::vector<std::shared_ptr<const Function>> pending;
  /// Modules and values of the host that functions pass on, so that attributes of them may be read under other names.
  std::vector<std::pair<std::string, ObjectRef>> passedOn;
  std::vector<std::string> unread;          ///< texts of functions and of constants whose words are not in `words`
  std::set<std::string, std::less<>> words; ///< all names in the other ones
  bool readsComputedNames = false;          ///< by `getattr`, in the other ones
};

/// How deep the attributes of what functions pass on are followed.
constexpr unsigned maximumAttributeDepth = 4;

} // namespace

/// The attribute of a module or of a value of the host; null for other objects.
static ObjectRef attributeOf(const Object &owner, llvm::StringRef name) {
  std::string_view text(name.data(), name.size());
  if (auto *module = owner.get<std::shared_ptr<const frontend::Module>>())
    return (*module)->attribute ? (*module)->attribute(text) : nullptr;
  if (auto *value = owner.get<std::shared_ptr<const frontend::HostObject>>())
    return (*value)->attribute ? (*value)->attribute(text) : nullptr;
  return nullptr;
}

/// Whether the object has attributes that can change: those of the language itself have no `__dir__`.
static bool hasOpenAttributes(const Object &owner) { return attributeOf(owner, "__dir__") != nullptr; }

static bool startsName(char c) { return llvm::isAlpha(c) || c == '_' || (c & 0x80); }
static bool continuesName(char c) { return startsName(c) || llvm::isDigit(c); }

/// The next dotted name at or after `position`, which it moves behind the name; empty at the end.
static llvm::StringRef nextDottedName(llvm::StringRef text, std::size_t &position) {
  while (position < text.size() && !startsName(text[position])) {
    bool inNumber = llvm::isDigit(text[position]);
    ++position;
    while (inNumber && position < text.size() && continuesName(text[position]))
      ++position;
  }
  std::size_t begin = position;
  while (position < text.size()) {
    while (position < text.size() && continuesName(text[position]))
      ++position;
    if (position + 1 >= text.size() || text[position] != '.' || !startsName(text[position + 1]))
      break;
    ++position;
  }
  return text.slice(begin, position);
}

/// The part of a file's path that says which file it is. PyTorch names a file that it generates by the digest of its
/// text, and the file's folder by two letters of that: `r4/cr4….py`. The folder of its cache, in which this stands, may
/// be another when the cache was brought from elsewhere.
static llvm::StringRef decidingPath(llvm::StringRef path) {
  constexpr std::size_t stemSize = 52, folderSize = 2;
  llvm::StringRef stem = path;
  if (!stem.consume_back(".py"))
    return path;
  auto [before, name] = stem.rsplit('/');
  auto [cache, folder] = before.rsplit('/');
  bool isGenerated = name.size() == stemSize && name.front() == 'c' && folder == name.substr(1, folderSize);
  return isGenerated ? path.drop_front(cache.size()) : path;
}

void SourceHasher::add(const Function &function) {
  if (seen.insert(&function).second) {
    const base::Source &source = *function.source;
    llvm::StringRef text = source.text(function.place);
    add(function.qualifiedName);
    // Line tables and diagnostics depend on where the text stands.
    add(decidingPath(source.fileName()));
    add(std::to_string(source.location(function.place).line));
    add(text);
    add(function.noInline ? "noinline" : "");
    if (function.isGluon)
      add("gluon");
    unread.push_back(text.str());
    for (const auto &[name, value] : function.defaults) {
      add(name);
      add(*value);
    }
    addNames(function, text);
  }
}

/// Reached functions wait here instead of being visited recursively, because chains of calls may be long.
void SourceHasher::addReached() {
  while (!pending.empty()) {
    std::shared_ptr<const Function> next = std::move(pending.back());
    pending.pop_back();
    add(*next);
  }
}

void SourceHasher::addNames(const Function &function, llvm::StringRef text) {
  if (!function.scope)
    return;
  llvm::StringSet<> done;
  llvm::StringMap<ObjectRef> firsts; // A kernel names its language often, and a host's language answers slowly.
  // The function's own name stands before the parameters, where it is not used.
  for (std::size_t position = text.find('('); position < text.size();) {
    llvm::StringRef name = nextDottedName(text, position);
    if (name.empty() || !done.insert(name).second)
      continue;
    auto [found, isNew] = firsts.try_emplace(name.split('.').first);
    if (isNew)
      found->second = function.scope->lookup(found->first());
    addGlobal(found->second, name);
  }
}

/// `object` is what the first part of the name denotes, or null.
void SourceHasher::addGlobal(ObjectRef object, llvm::StringRef dottedName) {
  llvm::StringRef rest = dottedName.split('.').second;
  while (object && !rest.empty()) {
    auto [attribute, remaining] = rest.split('.');
    ObjectRef next = attributeOf(*object, attribute);
    if (!next && !object->is<std::shared_ptr<const frontend::Module>>())
      break;
    if (auto *value = object->get<std::shared_ptr<const frontend::HostObject>>())
      add((*value)->fingerprint);
    object = next;
    rest = remaining;
  }
  if (!object)
    return;
  add(dottedName);
  add(*object);
}

void SourceHasher::readWords() {
  for (const std::string &text : std::exchange(unread, {}))
    for (std::size_t position = 0; position < text.size();) {
      llvm::SmallVector<llvm::StringRef> parts;
      nextDottedName(text, position).split(parts, '.', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef part : parts) {
        words.insert(part.str());
        readsComputedNames |= part == "getattr";
      }
    }
}

/// Whatever a function may read of a module or a value that it has under another name: an attribute that some text
/// names or, with `getattr`, any. New functions have new words, so that this goes on until there are no more.
void SourceHasher::addAttributes() {
  llvm::StringSet<> done;
  for (std::size_t before = ~std::size_t(0); before != done.size();) {
    before = done.size();
    if (!passedOn.empty()) // Most kernels pass nothing on, and their words matter to nobody.
      readWords();
    for (std::size_t index = 0; index < passedOn.size(); ++index) {
      auto [path, owner] = passedOn[index];
      std::vector<std::string> candidates(words.begin(), words.end());
      bool mayReadAny = readsComputedNames && path.find('.') == std::string::npos;
      ObjectRef names = mayReadAny ? attributeOf(*owner, "__dir__") : nullptr;
      if (const auto *all = names ? names->get<frontend::Tuple>() : nullptr)
        for (const ObjectRef &name : all->elements)
          if (const auto *text = name->get<std::string>())
            candidates.push_back(*text);
      for (const std::string &name : candidates) {
        std::string attribute = path;
        attribute.append(".").append(name);
        if (!llvm::StringRef(name).starts_with("__") && done.insert(attribute).second)
          addAttribute(attribute, owner, name, unsigned(llvm::count(path, '.')));
      }
    }
    addReached();
  }
}

void SourceHasher::addAttribute(const std::string &path, const ObjectRef &owner, llvm::StringRef name, unsigned depth) {
  ObjectRef object = attributeOf(*owner, name);
  if (!object || object->is<frontend::Unsupported>())
    return;
  add(path);
  if (!hasOpenAttributes(*object))
    return add(*object);
  if (auto *value = object->get<std::shared_ptr<const frontend::HostObject>>())
    add((*value)->fingerprint);
  if (depth < maximumAttributeDepth)
    passedOn.push_back({path, object});
}

void SourceHasher::passOn(const Object &object) {
  if (hasOpenAttributes(object))
    passedOn.push_back({std::to_string(passedOn.size()), std::make_shared<const Object>(object)});
}

/// Every method counts, because calls of methods do not name their class.
void SourceHasher::add(const frontend::AggregateClass &type) {
  add("aggregate " + type.name);
  if (!seenClasses.insert(&type).second)
    return;
  for (auto [index, field] : llvm::enumerate(type.fields)) {
    add(field.name);
    if (ObjectRef annotation = type.fieldType(index))
      add(*annotation);
    if (field.defaultValue)
      add(*field.defaultValue);
  }
  for (const std::string &name : type.memberNames) {
    add(name);
    if (ObjectRef member = type.member(name))
      add(*member);
  }
}

void SourceHasher::add(const Object &object) {
  if (auto *function = object.get<std::shared_ptr<const Function>>()) {
    if (!seen.contains(function->get()))
      pending.push_back(*function);
    add((*function)->qualifiedName);
  } else if (auto *tuple = object.get<frontend::Tuple>()) {
    add("tuple " + tuple->typeName);
    if (tuple->aggregate)
      add(*tuple->aggregate);
    for (const ObjectRef &element : tuple->elements)
      add(*element);
  } else if (auto *builtin = object.get<const frontend::Builtin *>()) {
    add(((*builtin)->module + "." + (*builtin)->name).str());
  } else if (auto *host = object.get<std::shared_ptr<const frontend::HostFunction>>()) {
    add((*host)->name);
    add((*host)->fingerprint);
  } else if (auto *type = object.get<std::shared_ptr<const frontend::AggregateClass>>()) {
    add(**type);
  } else if (auto *value = object.get<std::shared_ptr<const frontend::HostObject>>()) {
    add((*value)->fingerprint);
    passOn(object);
  } else if (auto *module = object.get<std::shared_ptr<const frontend::Module>>()) {
    add((*module)->name);
    passOn(object);
  } else {
    if (auto *text = object.get<std::string>())
      unread.push_back(*text);
    add(frontend::repr(object));
  }
}

std::string compiler::hashFunction(const Function &function) {
  SourceHasher hasher;
  hasher.add(function);
  return hasher.finish();
}

static void describeArgument(const Argument &argument, std::string &text) {
  text += argument.name + ": ";
  if (argument.hasElements()) {
    text += argument.descriptor ? argument.descriptor->str() + "(" : "(";
    for (const Argument &element : argument.elements)
      describeArgument(element, text);
    for (const std::string &field : argument.fieldNames)
      text += field + ",";
    text += ")\n";
    return;
  }
  if (argument.constant)
    text += "= " + frontend::repr(*argument.constant) + "\n";
  else
    text += argument.type.str() + ":" + std::to_string(argument.divisibility) + (argument.isInRange ? ":range" : "") +
            (argument.storage >= 0 ? ":storage " + std::to_string(argument.storage) : "") + "\n";
}

std::string compiler::describeArguments(const std::vector<Argument> &arguments) {
  std::string text;
  for (const Argument &argument : arguments)
    describeArgument(argument, text);
  return text;
}

/// Adds the functions among the constants, because their names alone do not say what they do.
static void addConstants(SourceHasher &hasher, const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments) {
    if (argument.constant)
      hasher.add(*argument.constant);
    addConstants(hasher, argument.elements);
  }
}

static std::string describeOptions(const Options &options) {
  std::string text;
  llvm::raw_string_ostream out(text);
#define TRITON_OPTION(type, member, name, standard) out << name << '=' << options.member << '\n';
#include "base/Options.def"
  for (const auto &[name, value] : options.extra)
    out << name << '=' << value << '\n';
  return text;
}

std::string CacheKey::hashOfBuild(const std::string &identity) const {
  SourceHasher both;
  both.add(identity);
  both.add(content);
  return both.finish();
}

CacheKey compiler::computeCacheKey(const CompileRequest &request, const Options &options,
                                   const std::string &fingerprint, const Environment &environment) {
  CacheKey key;
  if (request.function) {
    key.sourceHash = hashFunction(*request.function);
  } else {
    SourceHasher text;
    text.add(request.irStage);
    text.add(request.irText);
    key.sourceHash = text.finish();
  }
  SourceHasher all;
  all.add(key.sourceHash);
  all.add(request.kernelName);
  all.add(describeArguments(request.arguments));
  addConstants(all, request.arguments);
  all.add(request.target.backend + ":" + request.target.arch + ":" + std::to_string(request.target.warpSize));
  all.add(describeOptions(options));
  all.add(fingerprint);
  all.add(environment.cacheKey());
  key.content = all.finish();
  key.hash = key.hashOfBuild(buildIdentity());
  return key;
}
