#include "base/FileStem.h"

std::string triton::base::fileStem(const std::string &kernelName) {
  std::string stem = kernelName.substr(0, 150);
  for (char &c : stem)
    if (c == '/' || c == '\0')
      c = '_';
  return stem;
}
