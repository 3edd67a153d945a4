// Functions of newer C libraries, in the terms of glibc 2.28: what the standard library of C++ and LLVM's archives,
// which were compiled against a newer one, call beyond it. Part of the wheel alone (docs/install.md).
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The calls by which `stat` was a macro before glibc 2.33. The first argument is the version of the structure.
enum { structureVersion = 1 };
extern int __xstat(int version, const char *path, struct stat *result);
extern int __lxstat(int version, const char *path, struct stat *result);
extern int __fxstat(int version, int descriptor, struct stat *result);

int stat(const char *path, struct stat *result) { return __xstat(structureVersion, path, result); }
int lstat(const char *path, struct stat *result) { return __lxstat(structureVersion, path, result); }
int fstat(int descriptor, struct stat *result) { return __fxstat(structureVersion, descriptor, result); }

pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

unsigned arc4random(void) {
  unsigned value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value)
    ;
  return value;
}

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
struct mallinfo2 mallinfo2(void) {
  const struct mallinfo counts = mallinfo();
  return (struct mallinfo2){.arena = (unsigned)counts.arena,
                            .hblkhd = (unsigned)counts.hblkhd,
                            .uordblks = (unsigned)counts.uordblks,
                            .fordblks = (unsigned)counts.fordblks};
}

/// Whether the process has one thread: "no" is always a right answer.
char __libc_single_threaded = 0;

/// Waits until a time of any clock; before glibc 2.30 conditions knew only the clock that they were made with, which is
/// the real-time clock for those of C++.
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *end) {
  enum { nanosecondsPerSecond = 1000000000 };
  struct timespec now, real;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0)
    return EINVAL;
  real.tv_sec += end->tv_sec - now.tv_sec;
  real.tv_nsec += end->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_nsec += nanosecondsPerSecond;
    --real.tv_sec;
  } else if (real.tv_nsec >= nanosecondsPerSecond) {
    real.tv_nsec -= nanosecondsPerSecond;
    ++real.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &real);
}
