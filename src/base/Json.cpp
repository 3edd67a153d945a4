#include "base/Json.h"

using namespace triton;

/// The depth of arrays and objects, at least up to the first place where the text is not JSON.
static unsigned depthOf(llvm::StringRef text) {
  unsigned depth = 0, deepest = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    char c = text[position];
    if (c == '"') {
      for (++position; position < text.size() && text[position] != '"'; ++position)
        position += text[position] == '\\';
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

llvm::Expected<llvm::json::Value> base::parseJson(llvm::StringRef text) {
  if (depthOf(text) > maximumJsonDepth)
    return llvm::createStringError("the JSON is nested deeper than " + llvm::Twine(maximumJsonDepth) + " levels");
  return llvm::json::parse(text);
}

std::string base::validText(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}
