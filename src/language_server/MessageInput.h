// Reads the messages of a client, of which any may be malformed.
#pragma once

#include "llvm/Support/LSP/Transport.h"

#include <cstdio>

namespace triton::language_server {

/// What LLVM's transport gets is always a message that it can handle: it ends, or answers nothing, when it reads
/// something else. A malformed message becomes a request of `malformedMethod`, with the id that the message may have,
/// and with what is wrong as its parameter.
class MessageInput final : public llvm::lsp::JSONTransportInput {
public:
  static constexpr llvm::StringLiteral malformedMethod = "$/malformed";
  /// Longer messages are skipped. An editor sends no file of such a size.
  static constexpr uint64_t maximumLength = 256 << 20;

  explicit MessageInput(std::FILE *stream) : stream(stream) {}

  bool hasError() const override { return std::ferror(stream); }
  bool isEndOfInput() const override { return std::feof(stream); }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &) override { return llvm::failure(); }

private:
  bool readLine(std::string &line);

  std::FILE *stream;
};

} // namespace triton::language_server
