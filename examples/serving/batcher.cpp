#include "batcher.h"

#include <algorithm>
#include <omp.h>

namespace serving {

Batcher::Batcher(Device &device, const Model &model, const CurrentLibrary &libraries, BatcherOptions options)
    : model(model), libraries(libraries), options(options) {
  for (int i = 0; i < options.workers; ++i)
    workspaces.emplace_back(device, model.shape(), options.mostSequences);
  for (Workspace &workspace : workspaces)
    workers.emplace_back([this, &workspace] { work(workspace); });
}

Batcher::~Batcher() {
  {
    std::lock_guard lock(access);
    isEnding = true;
  }
  arrived.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

std::future<Answer> Batcher::submit(std::vector<std::int32_t> sequence) {
  Request request{std::move(sequence), {}};
  std::future<Answer> answer = request.answer.get_future();
  {
    std::lock_guard lock(access);
    if (waiting.size() >= std::size_t(options.mostWaiting))
      throw QueueFull(std::to_string(waiting.size()) + " requests wait, and no more may");
    waiting.push_back(std::move(request));
  }
  arrived.notify_one();
  return answer;
}

Batcher::Counts Batcher::counts() const {
  std::lock_guard lock(access);
  Counts counts = done;
  counts.waiting = waiting.size();
  return counts;
}

void Batcher::work(Workspace &workspace) {
  // For the kernels that this thread launches: OpenMP keeps the number for each thread.
  omp_set_num_threads(options.threads);
  for (std::vector<Request> requests; !(requests = next()).empty();)
    run(requests, workspace);
}

/// What waits, up to a batch; waits for a request, and returns none when the batcher ends. A worker waits for no
/// further requests: those that arrive while a batch runs are the next batch, so that batches grow with the load.
std::vector<Batcher::Request> Batcher::next() {
  std::unique_lock lock(access);
  arrived.wait(lock, [this] { return isEnding || !waiting.empty(); });
  auto end = waiting.begin() + std::min(std::ptrdiff_t(waiting.size()), std::ptrdiff_t(options.mostSequences));
  std::vector<Request> requests(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
  waiting.erase(waiting.begin(), end);
  done.batches += requests.empty() ? 0 : 1;
  done.sequences += requests.size();
  return requests;
}

void Batcher::run(std::vector<Request> &requests, Workspace &workspace) const {
  // Keeps the library loaded until this batch is done, whatever is reloaded meanwhile.
  std::shared_ptr<const KernelLibrary> library = libraries.get();
  std::vector<Answer> answers;
  try {
    Batch batch;
    for (const Request &request : requests)
      batch.add(request.sequence);
    ConstMatrix probabilities = model.forward(library->kernels(), batch, workspace);
    for (int i = 0; i < probabilities.rows; ++i)
      answers.push_back({{probabilities.row(i), probabilities.row(i + 1)}, library->generation(), batch.sequences()});
  } catch (...) {
    for (Request &request : requests)
      request.answer.set_exception(std::current_exception());
    return;
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    requests[i].answer.set_value(std::move(answers[i]));
}

} // namespace serving
