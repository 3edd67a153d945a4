#include "base/ForkSafeMutex.h"

#include <atomic>
#include <pthread.h>

using namespace triton::base;

static std::atomic<ForkSafeMutex *> newest = nullptr; ///< the list of all
static ForkSafeMutex *locked = nullptr;               ///< what the fork that runs holds: this and what follows it

ForkSafeMutex::ForkSafeMutex() {
  next = newest.load();
  while (!newest.compare_exchange_weak(next, this))
    continue;
  static const int registered = pthread_atfork(lockAll, unlockAll, unlockAll);
  (void)registered;
}

void ForkSafeMutex::lockAll() {
  ForkSafeMutex *first = newest.load();
  for (ForkSafeMutex *each = first; each; each = each->next)
    each->lock();
  locked = first; // Under all locks: another thread may fork as well.
}

void ForkSafeMutex::unlockAll() {
  for (ForkSafeMutex *each = locked; each;) {
    ForkSafeMutex *following = each->next;
    each->unlock();
    each = following;
  }
}
