# The options under which programs of the Debug preset run; to be sourced.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer
# LLVM and Python keep much for the life of a process, which the leak checker takes for leaks. LLVM's headers
# poison memory of allocators that the distribution's LLVM, not instrumented, hands out without unpoisoning it.
export ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0:detect_stack_use_after_return=1
