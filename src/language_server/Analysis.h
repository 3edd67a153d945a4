// What is known of all kernels of a document: diagnostics, and what names denote.
#pragma once

#include "language_server/GuessSearch.h"

#include "mlir/IR/MLIRContext.h"

#include <set>

namespace triton::language_server {

/// A place in the document or in another text.
struct Place {
  std::shared_ptr<const Source> source; ///< null: the document itself
  SourceRange range;
};

struct ShownNote {
  Place place;
  std::string message;
};

/// A diagnostic whose place is in the document.
struct ShownDiagnostic {
  SourceRange range;
  lsp::DiagnosticSeverity severity = lsp::DiagnosticSeverity::Error;
  std::string message; ///< with the remedy and the guess
  std::vector<ShownNote> notes;
  const DiagnosticInfo *kind = nullptr; ///< null where its remedy is for another text
  std::string fixReplacement;           ///< of the text at `range`, where the remedy says one
};

/// The arguments that were chosen for a kernel.
struct GuessedArguments {
  std::string text; ///< "x: *fp32, BLOCK = 64"
  std::vector<frontend::KernelArgument> arguments;
  Machine machine = {};
  bool hasSettings = false; ///< which say what some of the arguments are
  uint64_t stamp = 0;       ///< of the kernel's text, of all that it uses, and of the arguments
};

/// The result for one version of a document.
struct Analysis {
  DocumentRef document;
  std::vector<ShownDiagnostic> diagnostics;
  std::vector<Fact> facts;                    ///< ordered by their place
  std::map<size_t, GuessedArguments> guesses; ///< by the kernel's ordinal in Syntax::kernels
  /// The kernel that was lowered for what is known of each: itself, or one that calls it. By KernelKeys. Only of the
  /// version that was analyzed.
  std::map<std::string, size_t> roots;
  size_t loweredKernels = 0;  ///< the others were known from an earlier version
  uint64_t settingsStamp = 0; ///< settings::stampOfSettings when it was made

  /// The facts about the name at this place.
  llvm::ArrayRef<Fact> factsAt(SourceRange range) const;
  /// The last fact about a name of the kernel before a place; null when there is none.
  const Fact *lastFact(llvm::StringRef name, SourceRange within, uint32_t before) const;
};
using AnalysisRef = std::shared_ptr<const Analysis>;

/// What the analysis of one kernel says about its own text and that of the kernels that it calls. Places are relative
/// to the kernel that holds them, because text before it may change.
struct KernelReport;

/// A number that changes with the contents of a file that is not the document itself.
using FileStamp = std::function<uint64_t(const std::string &path)>;

/// Analyzes the versions of one document. Kernels whose text, and that of what they use, did not change are not lowered
/// again. One thread uses it at a time.
class DocumentAnalyzer {
public:
  explicit DocumentAnalyzer(FileStamp stamp);
  ~DocumentAnalyzer();

  /// Null when `isCancelled` was set meanwhile.
  AnalysisRef analyze(const DocumentRef &document, const std::atomic<bool> *isCancelled);

private:
  /// What is kept of a kernel.
  struct Entry {
    uint64_t stamp = 0; ///< of all that the report depends on
    std::shared_ptr<const KernelReport> report;
    std::vector<size_t> choice; ///< the guess, which is tried first when the text has changed
    Verdicts verdicts;          ///< about the errors for this guess
  };

  std::shared_ptr<const KernelReport> makeReport(const Syntax &syntax, size_t kernel,
                                                 const settings::KernelSettings &settings, Entry &entry,
                                                 const std::atomic<bool> *isCancelled);
  uint64_t importStamp() const;
  mlir::MLIRContext &freshContext();

  FileStamp stamp;
  std::set<std::string> imports;        ///< the files that the versions so far imported
  std::map<std::string, Entry> entries; ///< by the kernel's name and ordinal
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned contextUses = 0;
};

} // namespace triton::language_server
