#include "options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace serving {
namespace {

int parseNumber(std::string_view option, std::string_view text, int least, int most) {
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    throw std::invalid_argument(std::string(option) + " takes a number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", not `" + std::string(text) + "`");
  return number;
}

struct Option {
  const char *name, *value, *help;
  std::function<void(Options &, const std::string &)> set;
};

Option number(const char *name, const char *help, int least, int most, std::function<int &(Options &)> field) {
  return {name, "<n>", help,
          [=](Options &options, const std::string &value) { field(options) = parseNumber(name, value, least, most); }};
}

Option text(const char *name, const char *value, const char *help, std::string Options::*field) {
  return {name, value, help, [=](Options &options, const std::string &value) { options.*field = value; }};
}

void setBenchmark(Options &options, const std::string &value) {
  std::size_t x = value.find('x');
  if (x == std::string::npos)
    throw std::invalid_argument("--benchmark takes sequences and their length, such as 8x64, not `" + value + "`");
  options.benchmarkSequences = parseNumber("--benchmark", std::string_view(value).substr(0, x), 1, 4096);
  options.benchmarkLength = parseNumber("--benchmark", std::string_view(value).substr(x + 1), 1, 1 << 16);
}

void setDevice(Options &options, const std::string &value) {
  constexpr std::string_view cuda = "cuda";
  if (value != "cpu" && value != cuda && !value.starts_with("cuda:"))
    throw std::invalid_argument("--device takes cpu, cuda or cuda:<index>, not `" + value + "`");
  options.device.isCuda = value != "cpu";
  if (value.size() > cuda.size())
    options.device.index = parseNumber("--device cuda:", std::string_view(value).substr(cuda.size() + 1), 0, INT32_MAX);
}

/// Those that depend on others. A GPU runs a second batch where the first one leaves room.
void setDefaults(Options &options) {
  int processors = std::max(1, int(std::thread::hardware_concurrency()));
  BatcherOptions &batcher = options.batcher;
  if (batcher.workers == 0)
    batcher.workers = options.device.isCuda ? 2 : std::min(processors, 4);
  if (batcher.threads == 0)
    batcher.threads = std::max(1, processors / batcher.workers);
}

std::vector<Option> allOptions() {
  constexpr int many = 1 << 16;
  return {
      {"--device", "<device>", "cpu, cuda or cuda:<index>; default: cpu", setDevice},
      text("--kernels", "<file>", "library of kernels; default: libkernels.so beside the server", &Options::kernels),
      text("--host", "<address>", "address to listen at; default: 127.0.0.1", &Options::host),
      number("--port", "port to listen at, 0 for any that is free; default: 8080", 0, many - 1,
             [](Options &options) -> int & { return options.port; }),
      number("--connections", "connections that are served at the same time; default: 256", 1, many,
             [](Options &options) -> int & { return options.connections; }),
      text("--weights", "<file>", "weights to read; default: random ones", &Options::weights),
      number("--seed", "seed of random weights; default: 0", 0, INT32_MAX,
             [](Options &options) -> int & { return options.seed; }),
      number("--workers",
             "batches that run at the same time; default: on the CPU one for each processor, up to 4; else 2", 1, 1024,
             [](Options &options) -> int & { return options.batcher.workers; }),
      number("--threads", "threads of a batch on the CPU; default: the processors over the workers", 1, 1024,
             [](Options &options) -> int & { return options.batcher.threads; }),
      number("--batch", "sequences of a batch at most; default: 16", 1, 4096,
             [](Options &options) -> int & { return options.batcher.mostSequences; }),
      number("--queue", "requests that may wait; default: 1024", 1, 1 << 24,
             [](Options &options) -> int & { return options.batcher.mostWaiting; }),
      text("--write-weights", "<file>", "write the weights, and end", &Options::writeWeights),
      {"--benchmark", "<sequences>x<length>", "measure forward passes without HTTP, and end", setBenchmark},
  };
}

void printHelp(const std::vector<Option> &options) {
  std::printf("serves a small transformer, with kernels that were compiled ahead of time\n\n");
  for (const Option &option : options)
    std::printf("  %-34s %s\n", (std::string(option.name) + " " + option.value).c_str(), option.help);
}

} // namespace

std::optional<Options> parseOptions(int count, char **arguments) {
  std::vector<Option> known = allOptions();
  Options options;
  options.batcher.workers = options.batcher.threads = 0;
  options.kernels = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libkernels.so").string();
  for (int i = 1; i < count; ++i) {
    std::string name = arguments[i];
    if (name == "--help") {
      printHelp(known);
      return std::nullopt;
    }
    auto option = known.begin();
    while (option != known.end() && name != option->name)
      ++option;
    if (option == known.end())
      throw std::invalid_argument("there is no option `" + name + "`; --help lists those that there are");
    if (++i == count)
      throw std::invalid_argument(name + " needs a value: " + option->value);
    option->set(options, arguments[i]);
  }
  setDefaults(options);
  return options;
}

} // namespace serving
