#include "KernelInput.h"

#include "aot/Bundle.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

/// "name=file.py:kernel": what stands before the sign names the kernel in the bundle.
static triton::aot::BundleKernelRequest describeKernel(const BundleCommand &command, std::size_t index) {
  triton::aot::BundleKernelRequest request;
  llvm::StringRef input = command.inputs[index];
  auto [name, rest] = input.split('=');
  if (!rest.empty() && triton::aot::isIdentifier(name)) {
    request.kernel.outName = name.str();
    input = rest;
  }
  KernelPath path = splitInput(input.str());
  if (!irStage(path.file).empty())
    throw UsageError("`" + path.file +
                     "`: a bundle needs a kernel's text, which has the names of its parameters, not IR");
  request.path = path.file;
  request.kernel.kernelName = std::move(path.kernel);
  request.kernel.numWarps = command.numWarps;
  request.kernel.numStages = command.numStages;
  request.signatures = command.signatures[index];
  if (request.signatures.empty())
    throw UsageError("`" + command.inputs[index] + "` has no --signature after it");
  return request;
}

void tritonc::bundle(const BundleCommand &command) {
  if (command.inputs.empty())
    throw UsageError("name the kernels of the bundle, such as add.py:add --signature \"*fp32, i32, 64\"");
  if (command.output.empty())
    throw UsageError("name the file to write: -o kernels.ttb");
  if (command.targets.empty())
    throw UsageError("name the targets, such as --target cpu:x86-64-v3,cuda:90");
  triton::aot::BundleRequest request;
  for (std::size_t i = 0; i < command.inputs.size(); ++i)
    request.kernels.push_back(describeKernel(command, i));
  request.targets = command.targets;
  request.output = command.output;
  triton::aot::writeBundle(request);
  llvm::outs() << command.output << '\n';
}
