// Values as bytes in a fixed order, for what is read more often than it is written. One description of a structure, a
// function that calls a stream for each member, serves the writer and the reader.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace triton::base {

/// Appends the values to its bytes.
class PackingWriter {
public:
  static constexpr bool reads = false;

  template <std::integral Number> void operator()(const Number &number) {
    auto wide = int64_t(number);
    bytes.append(reinterpret_cast<const char *>(&wide), sizeof(wide));
  }
  void operator()(llvm::StringRef text) {
    (*this)(text.size());
    bytes += text;
  }
  /// Calls `member` for each element.
  template <typename Element, typename Member> void list(std::vector<Element> &elements, Member member) {
    (*this)(elements.size());
    for (Element &element : elements)
      member(element);
  }

  std::string bytes;
};

/// Reads what a writer wrote. After bytes that no writer has written, it gives zeros and `isComplete` is false.
class PackingReader {
public:
  static constexpr bool reads = true;

  explicit PackingReader(llvm::StringRef bytes) : rest(bytes) {}

  template <std::integral Number> void operator()(Number &number) {
    int64_t wide = 0;
    if (rest.size() < sizeof(wide))
      fail();
    else
      std::memcpy(&wide, take(sizeof(wide)).data(), sizeof(wide));
    number = Number(wide);
    if (!std::cmp_equal(int64_t(number), wide))
      fail();
  }
  /// The text is a part of the bytes.
  void operator()(llvm::StringRef &text) {
    std::size_t size = 0;
    (*this)(size);
    text = take(size);
  }
  void operator()(std::string &text) {
    llvm::StringRef part;
    (*this)(part);
    text = part.str();
  }
  template <typename Element, typename Member> void list(std::vector<Element> &elements, Member member) {
    std::size_t count = 0;
    (*this)(count);
    for (std::size_t i = 0; i < count && sound; ++i)
      member(elements.emplace_back());
  }

  void fail() {
    sound = false;
    rest = {};
  }
  /// Whether all that was read was there, and nothing follows.
  bool isComplete() const { return sound && rest.empty(); }

private:
  llvm::StringRef take(std::size_t size) {
    if (size > rest.size())
      fail();
    llvm::StringRef taken = rest.take_front(size);
    rest = rest.drop_front(taken.size());
    return taken;
  }

  llvm::StringRef rest;
  bool sound = true;
};

} // namespace triton::base
