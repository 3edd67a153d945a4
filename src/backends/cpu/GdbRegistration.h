// Announces linked code to debuggers through gdb's JIT interface.
#pragma once

#include <memory>
#include <string>

namespace triton::cpu {

/// Keeps an object file known to debuggers while it lives.
class GdbRegistration {
public:
  /// `image`: the ELF file with the addresses at which its sections were loaded.
  explicit GdbRegistration(std::string image);
  ~GdbRegistration();
  GdbRegistration(const GdbRegistration &) = delete;

private:
  struct Entry;
  std::unique_ptr<Entry> entry;
};

} // namespace triton::cpu
