#include "base/StageError.h"

#include "base/Files.h"
#include "base/UserErrors.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;
using namespace triton::base;
using base::DiagnosticClass;
using base::DiagnosticKind;
using base::Source;
using base::SourceRange;

char StageError::ID = 0;

void StageError::log(llvm::raw_ostream &stream) const {
  stream << "stage `" << stage << "`";
  if (!pass.empty())
    stream << ", pass `" << pass << "`";
  stream << ": " << messages.front().text;
}

SourcePlace base::findPlace(mlir::Location location, std::vector<SourcePlace> *callers) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    SourcePlace place = findPlace(call.getCallee(), callers);
    if (callers) {
      SourcePlace caller = findPlace(call.getCaller(), callers);
      if (caller.line)
        callers->insert(callers->begin(), caller);
    }
    return place;
  }
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location))
    return findPlace(named.getChildLoc(), callers);
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      if (SourcePlace place = findPlace(part, callers); place.line)
        return place;
    return {};
  }
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location))
    return {file.getFilename().str(), file.getLine(), file.getColumn()};
  return {};
}

mlir::LocationAttr base::findUserLocation(mlir::Location location) {
  auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location);
  if (!call)
    return isLibraryFile(findPlace(location).file) ? mlir::LocationAttr() : mlir::LocationAttr(location);
  mlir::LocationAttr callee = findUserLocation(call.getCallee());
  return callee ? mlir::LocationAttr(mlir::CallSiteLoc::get(callee, call.getCaller()))
                : findUserLocation(call.getCaller());
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext &context, std::string shown)
    : shown(std::move(shown)), handler(&context, [this](mlir::Diagnostic &diagnostic) { return handle(diagnostic); }) {
  if (llvm::StringRef(this->shown).contains("operations"))
    context.printOpOnDiagnostic(true);
}

mlir::LogicalResult DiagnosticCollector::handle(mlir::Diagnostic &diagnostic) {
  using Severity = mlir::DiagnosticSeverity;
  if (diagnostic.getSeverity() != Severity::Error) {
    if (llvm::StringRef(shown).contains(diagnostic.getSeverity() == Severity::Warning ? "warnings" : "remarks"))
      print(diagnostic);
    return mlir::success();
  }
  StageMessage message;
  message.text = diagnostic.str();
  message.place = findPlace(diagnostic.getLocation(), &message.callers);
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    if (llvm::StringRef(text).starts_with("see current operation"))
      message.operation = text;
    else
      message.text += "; " + text;
  }
  messages.push_back(std::move(message));
  return mlir::success();
}

void DiagnosticCollector::print(mlir::Diagnostic &diagnostic) const {
  StageMessage message;
  message.text = diagnostic.str();
  message.place = findPlace(diagnostic.getLocation(), &message.callers);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back({note.str(), findPlace(note.getLocation())});
  bool isWarning = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning;
  llvm::errs() << renderMessage(isWarning ? DiagnosticClass::Warning : DiagnosticClass::Remark, message, "", known);
}

using PlacedKind = DiagnosticKind<void(std::string)>;
template <DiagnosticClass diagnosticClass>
static constexpr PlacedKind placed(llvm::StringLiteral("Placed"), diagnosticClass, llvm::StringLiteral("{0}"),
                                   llvm::StringLiteral(""));
static constexpr DiagnosticKind<void()> calledHere(llvm::StringLiteral("StageCalledHere"), DiagnosticClass::Note,
                                                   llvm::StringLiteral("called from here"), llvm::StringLiteral(""));

static const PlacedKind &placedKind(DiagnosticClass diagnosticClass) {
  switch (diagnosticClass) {
  case DiagnosticClass::Note:
    return placed<DiagnosticClass::Note>;
  case DiagnosticClass::Remark:
    return placed<DiagnosticClass::Remark>;
  case DiagnosticClass::Warning:
    return placed<DiagnosticClass::Warning>;
  default:
    return placed<DiagnosticClass::Error>;
  }
}

/// Whether the text, which may be one function of its file, has the line of the place.
static bool hasPlace(const Source &source, const SourcePlace &place) {
  unsigned first = source.location(uint32_t(0)).line, last = source.location(uint32_t(source.text().size())).line;
  return source.fileName() == place.file && (place.line == 0 || (place.line >= first && place.line <= last));
}

/// The source that holds the place: `known` or the file. Null when there is none.
static std::shared_ptr<const Source> openSource(const SourcePlace &place, const Source *known) {
  if (known && hasPlace(*known, place))
    return known->shared_from_this();
  llvm::ErrorOr<std::string> text = readWholeFile(place.file);
  return text ? Source::create(place.file, *text) : nullptr;
}

/// The range of one character at the place, or of nothing when the source does not have this line.
static SourceRange rangeAt(const Source &source, const SourcePlace &place) {
  llvm::StringRef text = source.text();
  base::Location first = source.location(uint32_t(0));
  uint32_t offset = 0;
  for (unsigned line = first.line; line < place.line; ++line) {
    std::size_t end = text.find('\n', offset);
    if (end == llvm::StringRef::npos)
      return {};
    offset = uint32_t(end) + 1;
  }
  unsigned column = place.column ? place.column - 1 : 0;
  unsigned cut = first.column ? first.column - 1 : 0;
  offset += column > cut ? column - cut : 0;
  offset = std::min<uint32_t>(offset, uint32_t(text.size()));
  uint32_t end = offset;
  while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_' || text[end] == '.'))
    ++end;
  return {offset, std::max(end, std::min<uint32_t>(offset + 1, uint32_t(text.size())))};
}

/// The message at the line of the user, if it is about a line of the library: that one becomes a note.
static StageMessage atUser(StageMessage message) {
  auto user = llvm::find_if(message.callers, [](const SourcePlace &place) { return !isLibraryFile(place.file); });
  if (!isLibraryFile(message.place.file) || user == message.callers.end())
    return message;
  message.notes.insert(message.notes.begin(), {"found in the library here", message.place});
  message.place = *user;
  message.callers.erase(message.callers.begin(), user + 1);
  return message;
}

std::string base::renderMessage(DiagnosticClass diagnosticClass, const StageMessage &found, const std::string &fix,
                                const Source *known) {
  StageMessage message = atUser(found);
  // A place whose source cannot be read, such as one in the embedded library, gives way to its nearest caller.
  std::vector<SourcePlace> places{message.place};
  llvm::append_range(places, message.callers);
  auto shown = llvm::find_if(places, [&](const SourcePlace &place) { return openSource(place, known) != nullptr; });
  std::string text = message.text;
  std::shared_ptr<const Source> source;
  SourceRange range;
  if (shown != places.end()) {
    source = openSource(*shown, known);
    range = rangeAt(*source, *shown);
    ++shown;
  } else if (message.place.line) {
    text += llvm::formatv(" (at {0}:{1}:{2})", message.place.file, message.place.line, message.place.column);
  }
  base::Diagnostic diagnostic = base::makeDiagnostic(placedKind(diagnosticClass), source.get(), range, text);
  diagnostic.fix = fix;
  for (const SourcePlace &caller : llvm::make_range(shown, places.end()))
    if (std::shared_ptr<const Source> callerSource = openSource(caller, known))
      diagnostic.note(calledHere, *callerSource, rangeAt(*callerSource, caller));
  for (const StageNote &note : message.notes)
    if (std::shared_ptr<const Source> noteSource = openSource(note.place, known))
      diagnostic.note(placedKind(DiagnosticClass::Note), *noteSource, rangeAt(*noteSource, note.place), note.text);
  return diagnostic.str();
}

std::string base::renderUserError(const StageMessage &message, const std::string &fix, const Source *known) {
  return renderMessage(DiagnosticClass::Error, message, fix, known);
}

void base::throwUserError(const StageMessage &found, const Source *known) {
  StageMessage message = atUser(found);
  throw CompilationError(CompilationError::Kind::General, renderUserError(message, "", known), message.text,
                         message.place.line, message.place.column);
}

void base::throwStageError(llvm::Error error, const Source *source, const std::string &kernel,
                           const std::string &stage) {
  if (error.isA<ToolchainError>()) {
    std::string text = llvm::toString(std::move(error));
    throw CompilationError(CompilationError::Kind::Toolchain, "error: " + text, text, 0, 0);
  }
  StageError failure(stage, "", {});
  llvm::handleAllErrors(
      std::move(error), [&](StageError &known) { failure = known; },
      [&](const llvm::ErrorInfoBase &other) { failure.messages.push_back({other.message(), {}, {}, {}}); });
  const StageMessage &message = failure.messages.front();
  if (isUserError(message.text))
    throwUserError(message, source);
  std::string text = "internal compiler error: kernel `" + kernel + "`, stage `" + failure.stage + "`";
  if (!failure.pass.empty())
    text += ", pass `" + failure.pass + "`";
  text += ": " + message.text;
  if (message.place.line)
    text +=
        llvm::formatv("\n  kernel source: {0}:{1}:{2}", message.place.file, message.place.line, message.place.column);
  if (!message.operation.empty())
    text += "\n  " + message.operation;
  if (!failure.reproducer.empty())
    text += "\n  reproduce: " + failure.reproducer;
  throw InternalError(text);
}
