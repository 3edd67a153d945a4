// In how many orders of its programs a tool of the host lets simulated launches run, to find results that depend on the
// order.
#pragma once

#include <atomic>

namespace triton::base {

/// Of this process; 1: only as the programs are numbered.
inline std::atomic<unsigned> &programOrders() {
  static std::atomic<unsigned> orders = 1;
  return orders;
}

} // namespace triton::base
