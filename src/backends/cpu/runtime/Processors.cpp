#include "backends/cpu/runtime/Processors.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>

using namespace triton::cpu;

std::vector<int> triton::cpu::allowedProcessors() {
  std::vector<int> processors;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set))
        processors.push_back(i);
  return processors;
}

unsigned triton::cpu::processorsOfQuota(const char *text) {
  std::istringstream stream(text);
  long long quota = 0, period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0)
    return 0; // "max", -1, or a file that this kernel does not have
  return unsigned((quota + period - 1) / period);
}

static std::string contentsOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The least quota of the process's control group and of those that contain it; 0: no limit.
static unsigned quotaOfControlGroups() {
  std::string root = "/sys/fs/cgroup", line;
  std::ifstream groups("/proc/self/cgroup");
  unsigned least = 0;
  auto consider = [&](unsigned limit) { least = limit == 0 || (least != 0 && least < limit) ? least : limit; };
  while (std::getline(groups, line)) {
    // "0::/path" for version 2, "4:cpu,cpuacct:/path" for version 1. In a container the path may be that of the host,
    // whose folders are not there.
    std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",", path = line.substr(second + 1);
    bool isSecondVersion = controllers == ",,";
    if (!isSecondVersion && controllers.find(",cpu,") == std::string::npos)
      continue;
    for (;; path.resize(path.find_last_of('/'))) {
      std::string folder = root + (isSecondVersion ? "" : "/cpu") + (path == "/" ? "" : path);
      consider(processorsOfQuota(
          isSecondVersion
              ? contentsOf(folder + "/cpu.max").c_str()
              : (contentsOf(folder + "/cpu.cfs_quota_us") + " " + contentsOf(folder + "/cpu.cfs_period_us")).c_str()));
      if (path.find('/') == std::string::npos)
        break;
    }
  }
  return least;
}

unsigned triton::cpu::usableProcessors() {
  unsigned count = std::max<unsigned>(1, unsigned(allowedProcessors().size()));
  unsigned quota = quotaOfControlGroups();
  return quota == 0 ? count : std::min(count, quota);
}
