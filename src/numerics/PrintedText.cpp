#include "numerics/PrintedText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <cstring>

namespace triton::numerics {

namespace {

/// The arguments, read in order.
class ArgumentReader {
public:
  explicit ArgumentReader(const std::byte *memory) : memory(memory) {}
  template <typename T> T next() {
    position = (position + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, memory + position, sizeof(T));
    position += sizeof(T);
    return value;
  }

private:
  const std::byte *memory;
  std::size_t position = 0;
};

} // namespace

/// Formats one argument by its specification, such as "%5d" or "%llx".
static std::string formatArgument(const std::string &specification, ArgumentReader &arguments) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool isLong = specification.find('l') != std::string::npos;
  const char *format = specification.c_str();
  switch (specification.back()) {
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    stream << llvm::format(format, arguments.next<double>());
    break;
  case 's':
    stream << llvm::format(format, reinterpret_cast<const char *>(arguments.next<uint64_t>()));
    break;
  case 'p':
    stream << llvm::format(format, reinterpret_cast<void *>(arguments.next<uint64_t>()));
    break;
  default:
    if (isLong)
      stream << llvm::format(format, arguments.next<uint64_t>());
    else
      stream << llvm::format(format, arguments.next<uint32_t>());
  }
  return text;
}

std::string formatPrinted(std::string_view whole, const std::byte *memory) {
  constexpr llvm::StringLiteral conversions = "diouxXeEfFgGaAcsp";
  llvm::StringRef format(whole);
  ArgumentReader arguments(memory);
  std::string text;
  while (!format.empty()) {
    std::size_t percent = format.find('%');
    text += format.take_front(percent).str();
    format = format.substr(percent);
    if (format.consume_front("%%")) {
      text += '%';
      continue;
    }
    std::size_t end = format.find_first_of(conversions, 1);
    if (end == llvm::StringRef::npos) {
      text += format.str();
      break;
    }
    text += formatArgument(format.take_front(end + 1).str(), arguments);
    format = format.drop_front(end + 1);
  }
  return text;
}

std::string escapeFormat(std::string_view text) {
  std::string escaped;
  for (char character : text)
    escaped.append(character == '%' ? 2 : 1, character);
  return escaped;
}

} // namespace triton::numerics
