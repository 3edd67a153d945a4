#include "language_server/LayoutFinder.h"

#include "base/Errors.h"
#include "language_server/Limits.h"

namespace triton::language_server {

static constexpr size_t maximumAnswers = 32;

LayoutFinder::LayoutFinder() : thread(std::optional<unsigned>(stackSize), [this] { run(); }) {}

LayoutFinder::~LayoutFinder() {
  {
    std::lock_guard lock(mutex);
    isClosing = true;
    isAbandoned = true;
  }
  changed.notify_all();
  thread.join();
}

KernelLayoutsRef LayoutFinder::lookUp(uint64_t stamp) const {
  for (const auto &[known, layouts] : answers)
    if (known == stamp)
      return layouts;
  return nullptr;
}

KernelLayoutsRef LayoutFinder::find(const LayoutQuestion &wanted) {
  std::unique_lock lock(mutex);
  if (KernelLayoutsRef known = lookUp(wanted.stamp))
    return known;
  if (current != wanted.stamp || isAbandoned) {
    isAbandoned = true;
    question = wanted;
    changed.notify_all();
  }
  changed.wait_for(lock, maximumWait, [&] { return lookUp(wanted.stamp) != nullptr; });
  return lookUp(wanted.stamp);
}

void LayoutFinder::abandon() {
  std::lock_guard lock(mutex);
  question.reset();
  isAbandoned = true;
}

void LayoutFinder::run() {
  std::unique_lock lock(mutex);
  while (!isClosing) {
    if (question)
      answer(lock);
    else
      changed.wait(lock);
  }
}

void LayoutFinder::answer(std::unique_lock<std::mutex> &lock) {
  LayoutQuestion asked = std::move(*question);
  question.reset();
  current = asked.stamp;
  isAbandoned = isClosing;
  lock.unlock();
  KernelLayoutsRef found;
  try {
    found = std::make_shared<KernelLayouts>(findLayouts(asked, &isAbandoned));
  } catch (const base::CompilationAbandoned &) {
    found = nullptr; // There is a newer question, or none.
  }
  lock.lock();
  current.reset();
  if (!found)
    return;
  answers.emplace_front(asked.stamp, std::move(found));
  if (answers.size() > maximumAnswers)
    answers.pop_back();
  changed.notify_all();
}

} // namespace triton::language_server
