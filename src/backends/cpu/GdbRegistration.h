// Announces linked code to debuggers through gdb's JIT interface.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

// gdb and lldb look for these names, this layout and the empty function ("JIT Compilation Interface" in gdb's manual):
// they put a breakpoint on the function and read the descriptor when it is reached.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};
extern jit_descriptor __jit_debug_descriptor; // NOLINT(bugprone-reserved-identifier)
void __jit_debug_register_code();             // NOLINT(bugprone-reserved-identifier)
}

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
