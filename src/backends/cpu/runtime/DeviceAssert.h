// How a failed device_assert leaves a kernel. The kernel's frames have nothing to clean up, so a jump back to the
// caller is enough. Exceptions would need unwind tables for generated code.
#pragma once

#include <csetjmp>
#include <string>

namespace triton::cpu {

/// While alive, a kernel that is left on this thread continues at `resume` (which the caller sets with setjmp).
class AssertScope {
public:
  AssertScope(const AssertScope &) = delete;

  std::jmp_buf resume;

  /// Keeps the message of the failure on this thread for the place to which the jump leads.
  static void setMessage(std::string message);
  static std::string takeMessage();
  /// Leaves the running kernel. Does not return.
  [[noreturn]] static void leave();

protected:
  AssertScope() : outer(current) { current = this; }
  ~AssertScope() { current = outer; }

  AssertScope *const outer; ///< of this thread
  static thread_local AssertScope *current;
};

} // namespace triton::cpu
