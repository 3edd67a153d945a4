// What the extension asks Python for once.
#pragma once

#include <atomic>
#include <memory>
#include <type_traits>

namespace triton::python {

/// What `make` returned when it ended first. It may give up the interpreter's lock, as imports do: threads that come in
/// between make another one, which is dropped. The initialization of a local static variable would let them wait for
/// the first with the lock that it needs.
template <typename Make> const std::invoke_result_t<Make> &madeOnce(Make make) {
  using Made = std::invoke_result_t<Make>;
  static std::atomic<const Made *> known = nullptr; // one for each `make`
  if (const Made *made = known.load(std::memory_order_acquire)) [[likely]]
    return *made;
  auto made = std::make_unique<const Made>(make());
  const Made *first = nullptr;
  return known.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel) ? *made.release() : *first;
}

} // namespace triton::python
