// Functions of the device's run-time library: __assertfail, and vprintf(format, arguments), whose arguments lie in
// memory one after another, each aligned to its size.
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace triton::simulator::nvptx {

namespace {

/// The arguments of one lane, read in order.
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

static std::string formatText(llvm::StringRef format, ArgumentReader arguments) {
  constexpr llvm::StringLiteral conversions = "diouxXeEfFgGaAcsp";
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

static void print(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *formats = warp.read<uint64_t>(list.inputs[0]), *arguments = warp.read<uint64_t>(list.inputs[1]);
  warp.forActiveLanes([&](unsigned lane) {
    warp.state.printed += formatText(reinterpret_cast<const char *>(formats[lane]),
                                     ArgumentReader(reinterpret_cast<const std::byte *>(arguments[lane])));
  });
  if (!list.outputs.empty())
    warp.forEachLane<uint32_t>(list.outputs[0], [](unsigned) { return 0; });
}

static void assertFail(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  unsigned lane = warp.firstLane();
  auto text = reinterpret_cast<const char *>(warp.read<uint64_t>(list.inputs[0])[lane]);
  warp.report(FindingKind::AssertionFailed, instruction.location, lane, llvm::formatv("`{0}`", text).str());
  warp.retire(warp.active);
}

Handler printHandler() { return &print; }
Handler assertFailHandler() { return &assertFail; }

} // namespace triton::simulator::nvptx
