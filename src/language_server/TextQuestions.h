// Answers for an editor that has no session: it sends the whole text with every question, as the explorer's page does.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <memory>
#include <mutex>
#include <string>

namespace triton::language_server {

struct TextQuestion {
  std::string method; ///< "completion", "hover" or "signatureHelp"
  std::string text;
  llvm::lsp::Position position;
};

/// Questions about versions of one file. A question waits for the one before. The first one starts threads, so that
/// their signals are those that its thread blocks.
class TextQuestions {
public:
  explicit TextQuestions(std::string path);
  ~TextQuestions();

  /// The result of the protocol's method `textDocument/…`. The error says what is wrong with the question.
  llvm::Expected<llvm::json::Value> answer(const TextQuestion &question);

private:
  struct State;

  std::string path;
  std::mutex mutex;
  std::unique_ptr<State> state;
};

} // namespace triton::language_server
