#include "language_server/MessageInput.h"

#include "base/Json.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::language_server {

namespace json = llvm::json;

static std::string malformed(llvm::StringRef reason, json::Value id = nullptr) {
  json::Object message{{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", MessageInput::malformedMethod}};
  message["params"] = json::Object{{"reason", reason}};
  return llvm::formatv("{0}", json::Value(std::move(message))).str();
}

/// The message, or one that says what is wrong with it.
static std::string checked(std::string text) {
  llvm::Expected<json::Value> value = base::parseJson(text);
  if (!value)
    return malformed("the message is not JSON: " + llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return malformed("the message is not an object; messages are sent one by one");
  json::Value *idMember = object->get("id");
  json::Value id = idMember ? *idMember : json::Value(nullptr);
  if (object->getString("jsonrpc") != std::optional<llvm::StringRef>("2.0"))
    return malformed("the member `jsonrpc` is not \"2.0\"", id);
  bool isAnswer = idMember && (object->get("result") || object->get("error"));
  if (!object->getString("method") && !isAnswer)
    return malformed("the message has no method", id);
  if (idMember && !id.getAsString() && !id.getAsInteger())
    return malformed("the member `id` is neither a number nor a string");
  return text;
}

bool MessageInput::readLine(std::string &line) {
  constexpr size_t maximumHeader = 64 << 10;
  line.clear();
  for (int c = std::getc(stream); c != EOF; c = std::getc(stream)) {
    if (c == '\n')
      return true;
    if (line.size() < maximumHeader)
      line.push_back(static_cast<char>(c));
  }
  return false;
}

llvm::LogicalResult MessageInput::readStandardMessage(std::string &json) {
  std::optional<uint64_t> length;
  bool isWrong = false;
  for (std::string line; readLine(line);) {
    llvm::StringRef header = llvm::StringRef(line).rtrim("\r");
    if (header.empty()) {
      if (length || isWrong)
        break;
      continue; // white space between messages
    }
    if (header.consume_front_insensitive("Content-Length:")) {
      uint64_t value = 0;
      isWrong |= header.trim().getAsInteger(10, value);
      length = value;
    } else {
      isWrong |= !header.starts_with_insensitive("Content-Type:");
    }
  }
  if (std::feof(stream))
    return llvm::failure();
  if (!length || isWrong) {
    json = malformed("the header of a message must say `Content-Length: ` and a number of bytes");
    if (!length || *length > maximumLength)
      return llvm::success();
  }
  bool isTooLong = *length > maximumLength;
  std::string text;
  if (!isTooLong)
    text.resize(*length);
  for (uint64_t read = 0; read < *length;) {
    char buffer[4096];
    size_t wanted = isTooLong ? std::min<uint64_t>(sizeof(buffer), *length - read) : *length - read;
    size_t count = std::fread(isTooLong ? buffer : text.data() + read, 1, wanted, stream);
    if (count == 0)
      return llvm::failure();
    read += count;
  }
  if (isTooLong)
    json = malformed("the message is longer than 256 MiB");
  else if (!isWrong)
    json = checked(std::move(text));
  return llvm::success();
}

} // namespace triton::language_server
