// The explorer's page: HTML, styles and scripts, which are parts of the program.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::explorer {

struct PageFile {
  llvm::StringRef path, type, text; ///< "/style.css", "text/css", ...
};

/// What a server gives for each path. "/" is the page.
llvm::ArrayRef<PageFile> pageFiles();

/// The page as one file that needs no server, with this JSON as its data. Its policy allows only its own script, by
/// hash, and no network.
std::string exportPage(llvm::StringRef data);

} // namespace triton::explorer
