#include "backends/cpu/GdbRegistration.h"

#include "base/ForkSafeMutex.h"

// Weak and visible, because other JIT compilers in the process define the same symbols and must share one copy.
extern "C" {
__attribute__((visibility("default"), weak, used)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
__attribute__((visibility("default"), weak, used, noinline)) void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
}

namespace triton::cpu {
namespace {

enum Action : uint32_t { NoAction, Register, Unregister };

base::ForkSafeMutex registrationMutex;

void notify(jit_code_entry *entry, Action action) {
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
}

} // namespace

struct GdbRegistration::Entry {
  std::string image;
  jit_code_entry code;
};

GdbRegistration::GdbRegistration(std::string image) : entry(new Entry{std::move(image), {}}) {
  std::lock_guard lock(registrationMutex);
  jit_code_entry *first = __jit_debug_descriptor.first_entry;
  entry->code = {first, nullptr, entry->image.data(), entry->image.size()};
  if (first)
    first->prev_entry = &entry->code;
  __jit_debug_descriptor.first_entry = &entry->code;
  notify(&entry->code, Register);
}

GdbRegistration::~GdbRegistration() {
  std::lock_guard lock(registrationMutex);
  jit_code_entry &code = entry->code;
  (code.prev_entry ? code.prev_entry->next_entry : __jit_debug_descriptor.first_entry) = code.next_entry;
  if (code.next_entry)
    code.next_entry->prev_entry = code.prev_entry;
  notify(&code, Unregister);
}

} // namespace triton::cpu
