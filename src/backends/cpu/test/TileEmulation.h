// Runs the instructions of AMX on processors that lack them, by handling the signal that they raise there.
#pragma once

#include <csignal>

namespace triton::cpu::test {

/// While it exists, AMX instructions work on this thread: natively or in software.
class TileEmulation {
public:
  TileEmulation();
  ~TileEmulation();
  TileEmulation(const TileEmulation &) = delete;

  /// How many products of tiles were computed in software since this was made.
  static unsigned long products();

private:
  struct sigaction before;
};

} // namespace triton::cpu::test
