// The options under which programs of the Debug preset run, wherever somebody starts them: the build itself runs
// tritonc. scripts/sanitizer_environment.sh, which gives the reasons, has the same ones for Python.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:allow_user_poisoning=0:detect_stack_use_after_return=1";
}
extern "C" const char *__ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }
