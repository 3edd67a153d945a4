// What stands around a place of a text that may be half typed: found from the tokens before it, without a tree.
#pragma once

#include "base/Source.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace triton::language_server {

/// The call whose parentheses are open at the place.
struct OpenCall {
  std::vector<std::string> callee; ///< "tl", "load"; empty when it is not a dotted name
  uint32_t calleeBegin = 0;
  unsigned position = 0;             ///< arguments before this one
  std::string keyword;               ///< of this argument
  std::vector<std::string> keywords; ///< of the arguments before it
};

struct Cursor {
  uint32_t prefixBegin = 0;
  std::string prefix;             ///< the part of a name before the place
  bool isMember = false;          ///< a `.` stands before the prefix
  std::vector<std::string> owner; ///< the dotted name before that `.`; empty when it is another expression
  bool isInText = false;          ///< inside a comment or a string
  std::optional<OpenCall> call;   ///< the innermost
};

Cursor cursorAt(llvm::StringRef text, uint32_t offset);

/// The name around a place, and the dotted names before it: ("tl", "load") at `tl.lo|ad`. Empty where there is none.
struct DottedName {
  std::vector<std::string> parts;
  base::SourceRange range; ///< of the last part
};
DottedName dottedNameAt(llvm::StringRef text, uint32_t offset);

} // namespace triton::language_server
