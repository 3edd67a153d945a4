// Reads the text of settings: the part of TOML that they need, which is names with numbers, texts or lists of texts,
// and tables.
#pragma once

#include "base/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace triton::settings {

/// A text in quotes.
struct QuotedText {
  std::string text;
  base::SourceRange range; ///< between the quotes
  bool hasEscapes = false; ///< otherwise the source has the same letters in this range
};

/// `name = value`.
struct Entry {
  std::string kernel; ///< of its table; empty: it stands before all tables
  std::string name;
  base::SourceRange nameRange, valueRange;
  std::optional<int64_t> number;
  std::vector<QuotedText> texts; ///< one for a text, any number for a list
};

/// The entries of `text`: that of the source, or parts of it with blanks in place of all else. Entries of comments may
/// be parted by commas. Throws DiagnosticError.
std::vector<Entry> readEntries(const base::Source &source, llvm::StringRef text, bool isComment);

} // namespace triton::settings
