#include "settings/Settings.h"

#include "base/Errors.h"
#include "base/Files.h"
#include "base/ScalarTypeNames.h"
#include "base/SplitAtCommas.h"
#include "compiler/BackendRegistry.h"
#include "frontend/Parser.h"
#include "frontend/lowering/Constructs.h"
#include "settings/Diagnostics.h"
#include "settings/SettingsText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

namespace triton::settings {

namespace ast = frontend::ast;
using base::Source;
using base::SourceRange;
using base::throwError;

static constexpr llvm::StringLiteral fileName = ".triton.toml", commentMark = "tritonc:";

std::string KernelSettings::signature() const {
  std::string text;
  for (const auto &[name, item] : items)
    text.append(text.empty() ? "" : ", ").append(name).append("=").append(item);
  return text;
}

std::string KernelSettings::str() const {
  std::string text;
  auto add = [&](llvm::StringRef name, const std::string &value) {
    text += (text.empty() ? "" : ", ") + name.str() + " " + value;
  };
  if (target)
    add("target", *target);
  if (numWarps)
    add("num-warps", std::to_string(*numWarps));
  if (numStages)
    add("num-stages", std::to_string(*numStages));
  if (!items.empty())
    add("signature", signature());
  return text;
}

std::shared_ptr<const Source> findSettingsFile(const std::string &pythonFile) {
  llvm::SmallString<128> folder(pythonFile);
  if (llvm::sys::fs::make_absolute(folder))
    return nullptr;
  for (llvm::sys::path::remove_filename(folder); !folder.empty(); llvm::sys::path::remove_filename(folder)) {
    while (folder.size() > 1 && llvm::sys::path::is_separator(folder.back()))
      folder.pop_back();
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, fileName);
    if (llvm::ErrorOr<std::string> text = base::readWholeFile(std::string(path)))
      return Source::create(std::string(path), std::move(*text));
    if (folder == llvm::sys::path::root_path(folder))
      break;
  }
  return nullptr;
}

uint64_t stampOfSettings(const std::string &pythonFile) {
  std::shared_ptr<const Source> file = findSettingsFile(pythonFile);
  return file ? llvm::hash_combine(file->fileName(), file->text()) : llvm::hash_code(0);
}

namespace {

//===-- Comments ----------------------------------------------------------------------------------------------------===

/// The line's settings if it is a comment that has some.
std::optional<SourceRange> settingsOfLine(const Source &source, SourceRange line) {
  llvm::StringRef text = source.text(line), rest = text.ltrim();
  if (!rest.consume_front("#"))
    return std::nullopt;
  rest = rest.ltrim();
  if (!rest.consume_front(commentMark))
    return std::nullopt;
  return SourceRange{line.begin + uint32_t(text.size() - rest.size()), line.end};
}

std::vector<SourceRange> linesOf(const Source &source) {
  std::vector<SourceRange> lines;
  for (uint32_t begin = 0; begin < source.text().size();) {
    auto end = uint32_t(std::min(source.text().find('\n', begin), source.text().size()));
    lines.push_back({begin, end});
    begin = end + 1;
  }
  return lines;
}

SourceRange decoratedRange(const ast::FunctionDef &definition) {
  SourceRange range = definition.range;
  for (const ast::Expression *decorator : definition.decorators)
    range.begin = std::min(range.begin, decorator->range.begin);
  return {range.begin, definition.signatureRange.begin};
}

/// The settings in the comments that stand directly above the kernel, or between its decorators and its `def`.
std::vector<SourceRange> commentsOf(const Function &kernel, llvm::ArrayRef<SourceRange> lines) {
  SourceRange decorated = decoratedRange(*kernel.definition);
  auto first = llvm::partition_point(lines, [&](SourceRange line) { return line.end < decorated.begin; });
  while (first != lines.begin() && kernel.source->text(*std::prev(first)).ltrim().starts_with("#"))
    --first;
  std::vector<SourceRange> found;
  for (; first != lines.end() && first->begin < decorated.end; ++first)
    if (std::optional<SourceRange> settings = settingsOfLine(*kernel.source, *first))
      found.push_back(*settings);
  return found;
}

std::vector<Entry> commentEntries(const Function &kernel) {
  if (!kernel.source->text().contains(commentMark))
    return {};
  std::vector<SourceRange> comments = commentsOf(kernel, linesOf(*kernel.source));
  if (comments.empty())
    return {};
  std::string text(kernel.source->text().size(), ' ');
  for (SourceRange comment : comments) {
    llvm::copy(kernel.source->text(comment), text.begin() + comment.begin);
    if (comment.end < text.size())
      text[comment.end] = '\n';
  }
  return readEntries(*kernel.source, text, /*isComment=*/true);
}

//===-- Values ------------------------------------------------------------------------------------------------------===

/// An item of a signature with its place.
struct Item {
  std::string text;
  SourceRange range;
};

std::vector<Item> itemsOf(const QuotedText &quoted, const Source &source) {
  std::vector<Item> items;
  for (llvm::StringRef part : base::splitSignature(quoted.text)) {
    uint32_t begin = quoted.range.begin + uint32_t(part.data() - quoted.text.data());
    SourceRange range = quoted.hasEscapes ? quoted.range : SourceRange{begin, begin + uint32_t(part.size())};
    if (part.empty())
      throwError(diagnostics::EmptyItem, source, range);
    items.push_back({part.str(), range});
  }
  return items;
}

/// Reads the items of a signature as arguments of one kernel.
class SignatureReader {
public:
  SignatureReader(const Function &kernel, const Source &source, KernelSettings &settings)
      : kernel(kernel), source(source), settings(settings) {}

  void read(const Entry &entry) {
    std::vector<Item> positional;
    for (const QuotedText &text : entry.texts)
      for (Item &item : itemsOf(text, source)) {
        auto [name, value] = llvm::StringRef(item.text).split('=');
        bool isNamed = llvm::StringRef(item.text).contains('=') && !name.contains('"') && !name.contains('\'');
        if (!isNamed)
          positional.push_back(std::move(item));
        else
          add(parameterNamed(name.trim(), item.range), {value.trim().str(), item.range});
      }
    size_t next = 0;
    llvm::ArrayRef<ast::Parameter> parameters = kernel.definition->parameters;
    for (const Item &item : positional) {
      while (next < parameters.size() && settings.items.count(parameters[next].name.name.str()))
        ++next;
      if (next == parameters.size())
        throwError(diagnostics::TooManyItems, source, item.range, kernel.name, parameters.size());
      add(next++, item);
    }
  }

private:
  size_t parameterNamed(llvm::StringRef name, SourceRange range) const {
    for (auto [index, parameter] : llvm::enumerate(kernel.definition->parameters))
      if (parameter.name.name == name)
        return index;
    throwError(diagnostics::NoParameter, source, range, kernel.name, name.str());
  }

  void add(size_t index, const Item &item) {
    const ast::Parameter &parameter = kernel.definition->parameters[index];
    std::string name = parameter.name.name.str();
    if (!settings.items.try_emplace(name, item.text).second)
      throwError(diagnostics::GivenTwice, source, item.range, name);
    bool isConstexpr = frontend::isConstexprAnnotation(parameter.annotation);
    if (frontend::ObjectRef constant = constantOf(item.text)) {
      KernelArgument &argument = settings.arguments.emplace_back();
      argument.name = name;
      argument.constant = std::move(constant);
      return;
    }
    llvm::Expected<KernelArgument> type = frontend::readArgumentType(name, item.text, int(index));
    std::string problem = type ? "" : llvm::toString(type.takeError()) + ", or a constant";
    if (isConstexpr)
      problem = "it is a `tl.constexpr` and takes a constant, not `" + item.text + "`";
    if (!problem.empty())
      throwError(diagnostics::WrongItem, source, item.range, name, problem);
    settings.arguments.push_back(std::move(*type));
  }

  /// Null for what is not a constant: a literal, a dtype, or an expression over the file's names.
  frontend::ObjectRef constantOf(llvm::StringRef text) const {
    if (frontend::ObjectRef constant = frontend::readConstant(text))
      return constant;
    if (llvm::StringRef name = text; name.consume_front("tl."))
      if (std::optional<base::ScalarType> type = base::parseScalarType(name))
        return frontend::makeObject(base::ElementType{*type});
    return kernel.scope ? kernel.scope->evaluate(std::string_view(text.data(), text.size())) : nullptr;
  }

  const Function &kernel;
  const Source &source;
  KernelSettings &settings;
};

std::string readTarget(const Entry &entry, const Source &source) {
  if (entry.texts.size() != 1)
    throwError(diagnostics::WrongValue, source, entry.valueRange, entry.name, "a text such as \"cuda:90\"",
               source.text(entry.valueRange).str());
  const std::string &text = entry.texts.front().text;
  llvm::StringRef name = llvm::StringRef(text).starts_with("cpu:") ? "cpu" : llvm::StringRef(text).rsplit(':').first;
  const backends::Backend *whole = compiler::findBackend(text), *backend = whole ? whole : compiler::findBackend(name);
  std::string problem;
  if (!backend)
    problem = "no such kind of machine";
  else if (whole && backend->warpSize("") != 0)
    problem = "its architecture is missing";
  else if (!whole && name != "cpu") {
    base::Target target{backend->name().str(), llvm::StringRef(text).rsplit(':').second.str()};
    target.warpSize = backend->warpSize(target.arch);
    if (auto options = backend->readOptions(target, base::Options(), base::Environment()); !options)
      problem = llvm::toString(options.takeError());
  }
  if (!problem.empty())
    throwError(diagnostics::WrongTarget, source, entry.texts.front().range, text, problem);
  return text;
}

int readWarps(const Entry &entry, const Source &source) {
  constexpr int most = 64;
  if (!entry.number || *entry.number < 1 || *entry.number > most || !llvm::isPowerOf2_64(uint64_t(*entry.number)))
    throwError(diagnostics::WrongValue, source, entry.valueRange, entry.name,
               "a power of two from 1 to " + std::to_string(most), source.text(entry.valueRange).str());
  return int(*entry.number);
}

int readStages(const Entry &entry, const Source &source) {
  constexpr int most = 100;
  if (!entry.number || *entry.number < 0 || *entry.number > most)
    throwError(diagnostics::WrongValue, source, entry.valueRange, entry.name,
               "a number from 0 to " + std::to_string(most), source.text(entry.valueRange).str());
  return int(*entry.number);
}

/// Adds what the entry says, unless something that comes before it has said so.
void take(const Entry &entry, const Function &kernel, const Source &source, KernelSettings &settings) {
  auto give = [](auto &place, auto value) {
    if (!place)
      place = std::move(value);
  };
  if (entry.name == "target") {
    give(settings.target, readTarget(entry, source));
  } else if (entry.name == "num-warps") {
    give(settings.numWarps, readWarps(entry, source));
  } else if (entry.name == "num-stages") {
    give(settings.numStages, readStages(entry, source));
  } else if (entry.name != "signature") {
    throwError(diagnostics::UnknownSetting, source, entry.nameRange, entry.name);
  } else if (entry.texts.empty()) {
    throwError(diagnostics::WrongValue, source, entry.valueRange, entry.name,
               "a text such as \"*fp32:16, i32, BLOCK=64\" or a list of texts", source.text(entry.valueRange).str());
  } else if (settings.items.empty()) {
    SignatureReader(kernel, source, settings).read(entry);
  }
}

} // namespace

KernelSettings settingsOf(const Function &kernel, const Source *file) {
  KernelSettings settings;
  for (const Entry &entry : commentEntries(kernel))
    take(entry, kernel, *kernel.source, settings);
  std::vector<Entry> entries = file ? readEntries(*file, file->text(), /*isComment=*/false) : std::vector<Entry>();
  for (bool isOwnTable : {true, false})
    for (const Entry &entry : entries) {
      if (entry.kernel.empty() && entry.name == "signature")
        throwError(diagnostics::SignatureOfAll, *file, entry.nameRange);
      if (isOwnTable ? entry.kernel == kernel.name : entry.kernel.empty())
        take(entry, kernel, *file, settings);
    }
  return settings;
}

std::vector<base::Diagnostic> findStrayComments(const Source &source,
                                                llvm::ArrayRef<std::shared_ptr<const Function>> kernels) {
  std::vector<base::Diagnostic> strays;
  if (!source.text().contains(commentMark))
    return strays;
  std::vector<SourceRange> lines = linesOf(source), known;
  for (const std::shared_ptr<const Function> &kernel : kernels)
    if (kernel->source.get() == &source)
      llvm::append_range(known, commentsOf(*kernel, lines));
  // A line of a text in quotes, such as a program's, is not a comment.
  auto isInText = [&](SourceRange range) {
    bool found = false;
    auto walk = [&](auto &self, const ast::Node &node) -> void {
      if (range.begin < node.range.begin || range.end > node.range.end)
        return;
      found |= llvm::isa<ast::Expression>(&node);
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
    };
    for (const ast::Statement *statement : frontend::moduleOf(source).body)
      walk(walk, *statement);
    return found;
  };
  for (SourceRange line : lines)
    if (std::optional<SourceRange> settings = settingsOfLine(source, line))
      if (!llvm::is_contained(known, *settings) && !isInText(*settings))
        strays.push_back(base::makeDiagnostic(diagnostics::NoKernelBelow, source, line));
  return strays;
}

} // namespace triton::settings
