// The server's command line.
#ifndef SERVING_OPTIONS_H
#define SERVING_OPTIONS_H

#include "batcher.h"

#include <optional>
#include <string>

namespace serving {

struct Options {
  std::string host = "127.0.0.1";
  int port = 8080;
  int connections = 256;
  DeviceId device;
  std::string kernels;
  /// Empty: random ones.
  std::string weights;
  int seed = 0;
  /// In place of serving: a file to write the weights to, and a number of sequences and their length to measure.
  std::string writeWeights;
  int benchmarkSequences = 0, benchmarkLength = 0;
  BatcherOptions batcher;
};

/// Throws std::invalid_argument, which says what is wrong; nothing: help was printed.
std::optional<Options> parseOptions(int count, char **arguments);

} // namespace serving

#endif
