// A queue of requests whose workers run what waits together, as one batch.
#ifndef SERVING_BATCHER_H
#define SERVING_BATCHER_H

#include "library.h"
#include "model.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace serving {

struct BatcherOptions {
  /// Threads that run batches. On the CPU, each shares the programs of its kernels among `threads` threads; on a GPU,
  /// each has a stream.
  int workers = 1;
  int threads = 1;
  /// Sequences of a batch, and requests that may wait, at most.
  int mostSequences = 16;
  int mostWaiting = 1024;
};

struct Answer {
  std::vector<float> probabilities;
  /// The generation of the library that gave the answer, and how many sequences were in its batch.
  std::uint64_t generation = 0;
  int batch = 0;
};

struct QueueFull : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Batcher {
public:
  /// Throws DeviceError where the device has too little memory for the workers' batches.
  Batcher(Device &device, const Model &model, const CurrentLibrary &libraries, BatcherOptions options);
  Batcher(const Batcher &) = delete;
  Batcher &operator=(const Batcher &) = delete;
  /// Answers what waits, and ends the workers.
  ~Batcher();

  /// The sequence must have passed Model::check. Throws QueueFull where too many wait.
  std::future<Answer> submit(std::vector<std::int32_t> sequence);

  struct Counts {
    std::uint64_t batches = 0, sequences = 0;
    std::size_t waiting = 0;
  };
  Counts counts() const;

private:
  struct Request {
    std::vector<std::int32_t> sequence;
    std::promise<Answer> answer;
  };
  void work(Workspace &workspace);
  std::vector<Request> next();
  void run(std::vector<Request> &requests, Workspace &workspace) const;

  const Model &model;
  const CurrentLibrary &libraries;
  BatcherOptions options;
  mutable std::mutex access;
  std::condition_variable arrived;
  std::deque<Request> waiting;
  Counts done;
  bool isEnding = false;
  std::deque<Workspace> workspaces;
  std::vector<std::thread> workers;
};

} // namespace serving

#endif
