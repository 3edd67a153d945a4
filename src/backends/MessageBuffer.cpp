#include "backends/MessageBuffer.h"

#include "numerics/PrintedText.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::backends {

constexpr std::size_t headerWords = 2, capacity = (std::size_t(1) << 20) / sizeof(uint64_t); // as much as CUDA's

MessageBuffer::MessageBuffer() : words(headerWords + capacity) { words[1] = capacity; }

std::string MessageBuffer::print(const std::vector<base::DeviceMessage> &messages) const {
  uint64_t claimed = words[0], end = headerWords + std::min<uint64_t>(claimed, capacity);
  std::string printed, failure;
  for (uint64_t place = headerWords; place < end;) {
    uint64_t number = words[place] & UINT32_MAX, count = words[place] >> 32;
    if (number == 0 || number > messages.size() || count == 0 || count > end - place)
      break; // for the first message without room, nothing was written
    const base::DeviceMessage &message = messages[number - 1];
    std::string text = numerics::formatPrinted(message.format, reinterpret_cast<const std::byte *>(&words[place + 1]));
    if (!message.isFailure)
      printed += text;
    else if (failure.empty())
      failure = std::move(text);
    place += count;
  }
  if (claimed > capacity)
    printed += "(the rest of what the kernel prints is left out, because it is more than " +
               std::to_string(capacity * sizeof(uint64_t)) + " bytes)\n";
  (llvm::outs() << printed).flush();
  return failure;
}

void MessageBuffer::report(const std::vector<base::DeviceMessage> &messages) const {
  if (std::string failure = print(messages); !failure.empty())
    throw std::runtime_error(failure);
}

} // namespace triton::backends
