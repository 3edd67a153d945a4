// The links of texts that LLVM writes.
#include "base/CompilationRecord.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace triton;
using namespace triton::base;

static bool isFile(llvm::StringRef directory, llvm::StringRef name, llvm::StringRef sourcePath) {
  if (name == sourcePath)
    return true;
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return path == sourcePath;
}

namespace {

/// Puts behind each instruction the kernel's line that it comes from.
class LineMarker : public llvm::AssemblyAnnotationWriter {
public:
  static constexpr char mark = '\1'; // in no name and no text of the IR

  explicit LineMarker(llvm::StringRef sourcePath) : sourcePath(sourcePath) {}
  void printInfoComment(const llvm::Value &value, llvm::formatted_raw_ostream &stream) override {
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    for (const llvm::DILocation *place = instruction ? instruction->getDebugLoc().get() : nullptr; place;
         place = place->getInlinedAt())
      if (isFile(place->getDirectory(), place->getFilename(), sourcePath)) {
        stream << mark << place->getLine();
        return;
      }
  }

private:
  llvm::StringRef sourcePath;
};

/// Collects lines with their links.
class Builder {
public:
  void add(llvm::StringRef line, unsigned sourceLine) {
    linked.text += line;
    linked.text += '\n';
    linked.sourceLines.push_back(sourceLine);
  }
  LinkedText take() { return std::move(linked); }

private:
  LinkedText linked;
};

} // namespace

/// A line without the names of metadata, which only debug information has here. Regular expressions would take longer
/// for the lines of all passes than the compilation does.
static std::string withoutDebugInfo(llvm::StringRef line) {
  constexpr llvm::StringLiteral reference(" !dbg !");
  std::string text;
  for (std::size_t at = line.find(reference); at != llvm::StringRef::npos; at = line.find(reference)) {
    llvm::StringRef before = line.take_front(at);
    before.consume_back(",");
    text += before;
    line = line.drop_front(at + reference.size()).ltrim("0123456789");
  }
  text += line;
  return text;
}

LinkedText base::linkText(const llvm::Module &module, llvm::StringRef sourcePath) {
  std::string text;
  {
    llvm::raw_string_ostream stream(text);
    LineMarker marker(sourcePath);
    module.print(stream, &marker);
  }
  Builder builder;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n')) {
    if (line.starts_with("!") || line.contains("#dbg_"))
      continue;
    auto [shown, number] = line.split(LineMarker::mark);
    unsigned sourceLine = 0;
    (void)number.getAsInteger(10, sourceLine);
    builder.add(withoutDebugInfo(shown), sourceLine);
  }
  return builder.take();
}

/// `.file NUMBER "DIRECTORY" "NAME"`; the directory may be missing, or part of the name.
static const llvm::Regex &fileDirective() {
  static const llvm::Regex file("^[ \t]*\\.file[ \t]+([0-9]+)[ \t]+\"([^\"]*)\"([ \t]+\"([^\"]*)\")?");
  return file;
}

/// `.loc FILE LINE COLUMN`.
static const llvm::Regex &placeDirective() {
  static const llvm::Regex place("^[ \t]*\\.loc[ \t]+([0-9]+)[ \t]+([0-9]+)([ \t]+([0-9]+))?");
  return place;
}

LinkedText base::linkAssembly(llvm::StringRef assembly, llvm::StringRef sourcePath) {
  llvm::StringMap<bool> isSource; // by number of a `.file`
  const llvm::Regex &file = fileDirective(), &place = placeDirective();
  static const llvm::Regex inlined("inlined_at[ \t]+([0-9]+)[ \t]+([0-9]+)");
  llvm::SmallVector<llvm::StringRef> lines, parts;
  assembly.rtrim().split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.contains(".file") && file.match(line, &parts))
      isSource[parts[1]] = parts[4].empty() ? isFile("", parts[2], sourcePath) : isFile(parts[2], parts[4], sourcePath);
  Builder builder;
  unsigned current = 0;
  for (llvm::StringRef line : lines) {
    if (file.match(line))
      continue;
    if (!place.match(line, &parts)) {
      if (line.starts_with(".Ltmp") || line.starts_with("$L__tmp"))
        continue; // labels of debug information
      bool isInstruction = !line.ltrim().empty() && line.front() != '.' && !line.ltrim().starts_with(".");
      builder.add(line, isInstruction ? current : 0);
      continue;
    }
    llvm::SmallVector<llvm::StringRef> call;
    current = 0;
    if (isSource.lookup(parts[1]))
      (void)parts[2].getAsInteger(10, current);
    else if (inlined.match(line, &call) && isSource.lookup(call[1]))
      (void)call[2].getAsInteger(10, current);
  }
  return builder.take();
}

SourcePlace base::findAssemblyPlace(llvm::StringRef assembly, unsigned line) {
  llvm::SmallVector<llvm::StringRef> lines, parts;
  assembly.split(lines, '\n');
  std::size_t index = std::min<std::size_t>(line, lines.size());
  while (index > 0 && !placeDirective().match(lines[index - 1], &parts))
    --index;
  if (index == 0)
    return {};
  SourcePlace place;
  llvm::StringRef number = parts[1];
  (void)parts[2].getAsInteger(10, place.line);
  (void)parts[4].getAsInteger(10, place.column);
  for (llvm::StringRef text : lines) {
    if (!text.contains(".file") || !fileDirective().match(text, &parts) || parts[1] != number)
      continue;
    llvm::SmallString<128> path(parts[4].empty() ? "" : parts[2]);
    llvm::sys::path::append(path, parts[4].empty() ? parts[2] : parts[4]);
    place.file = std::string(path);
  }
  return place;
}

LinkedText base::linkMachineCode(llvm::StringRef text, llvm::StringRef sourcePath) {
  // A call that was inlined has its places in one line, the innermost first, or in lines of their own that follow.
  static const llvm::Regex place("\"([^\"]*)\", line ([0-9]+)");
  Builder builder;
  unsigned current = 0;
  bool continues = false; // the line before named a place, too
  for (llvm::StringRef line : llvm::split(text.rtrim(), '\n')) {
    if (!line.ltrim().starts_with("//## File")) {
      builder.add(line, line.ltrim().starts_with("/*") ? current : 0);
      continues = false;
      continue;
    }
    if (!continues)
      current = 0;
    continues = true;
    llvm::SmallVector<llvm::StringRef> parts;
    for (llvm::StringRef rest = line; current == 0 && place.match(rest, &parts);
         rest = rest.drop_front(parts[0].end() - rest.begin()))
      if (isFile("", parts[1], sourcePath))
        (void)parts[2].getAsInteger(10, current);
  }
  return builder.take();
}
