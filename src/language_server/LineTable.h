// Bytes of a text as positions of the protocol, and back.
#pragma once

#include "base/Source.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <vector>

namespace triton::language_server {

namespace lsp = llvm::lsp;

/// The protocol counts lines from 0 and, within a line, units of UTF-16: a character beyond U+FFFF counts twice. Lines
/// end with "\n", "\r\n" or "\r". The text must outlive the table.
class LineTable {
public:
  explicit LineTable(llvm::StringRef text);

  lsp::Position position(uint32_t offset) const;
  lsp::Range range(base::SourceRange range) const { return {position(range.begin), position(range.end)}; }
  /// Positions beyond the end of a line or of the text are moved back to it.
  uint32_t offset(lsp::Position position) const;
  base::SourceRange range(const lsp::Range &range) const;

private:
  llvm::StringRef text;
  std::vector<uint32_t> starts;
};

/// Replaces a part of the text, or all of it, as the event says.
void applyChange(std::string &text, const lsp::TextDocumentContentChangeEvent &change);

} // namespace triton::language_server
