// Parameters of messages that LLVM's library does not declare.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

namespace triton::language_server {

struct RenameParams : llvm::lsp::TextDocumentPositionParams {
  std::string newName;
};

inline bool fromJSON(const llvm::json::Value &value, RenameParams &result, llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return fromJSON(value, static_cast<llvm::lsp::TextDocumentPositionParams &>(result), path) && mapper &&
         mapper.map("newName", result.newName);
}

/// See MessageInput.
struct MalformedParams {
  std::string reason;
};

inline bool fromJSON(const llvm::json::Value &value, MalformedParams &result, llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("reason", result.reason);
}

} // namespace triton::language_server
