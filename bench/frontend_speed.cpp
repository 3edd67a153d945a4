// How long the frontend takes from a kernel's text to TTIR, and how that grows with the depth of loops, branches and
// calls, on one core. Each figure is the least of some repetitions.
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/LowerKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace triton::frontend;

static constexpr llvm::StringLiteral header = "import triton\nimport triton.language as tl\n\n";

/// A kernel of about 100 lines like those in libraries: tiles, masks, a loop with two products, calls of the prelude.
static std::string hundredLines() {
  std::string text = header.str();
  text += R"(
@triton.jit
def rescale(acc, old, new):
    factor = tl.exp2(old - new)
    return acc * factor[:, None], factor

@triton.jit
def attend(q_ptr, k_ptr, v_ptr, o_ptr, m_ptr, stride_q, stride_k, stride_v, stride_o, scale, length, window,
           D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, BIAS: tl.constexpr):
    start = tl.program_id(0) * BM
    head = tl.program_id(1)
    rows = start + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    depth = tl.arange(0, D)
    q_tile = q_ptr + head * length * stride_q + rows[:, None] * stride_q + depth[None, :]
    inside = rows < length
    q = tl.load(q_tile, mask=inside[:, None], other=0.0)
    best = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    if CAUSAL:
        end = tl.minimum(start + BM, length)
    else:
        end = length
    for first in tl.range(0, end, BN, num_stages=2):
        index = first + columns
        valid = index < length
        k_tile = k_ptr + head * length * stride_k + index[None, :] * stride_k + depth[:, None]
        k = tl.load(k_tile, mask=valid[None, :], other=0.0)
        scores = tl.dot(q, k) * scale
        keep = valid[None, :] & inside[:, None]
        if CAUSAL:
            keep = keep & (rows[:, None] >= index[None, :])
        if window > 0:
            keep = keep & (rows[:, None] - index[None, :] < window)
        scores = tl.where(keep, scores, float("-inf"))
        largest = tl.maximum(best, tl.max(scores, 1))
        shift = tl.where(largest == float("-inf"), 0.0, largest)
        p = tl.exp2(scores - shift[:, None])
        acc, factor = rescale(acc, best, shift)
        total = total * factor + tl.sum(p, 1)
        v_tile = v_ptr + head * length * stride_v + index[:, None] * stride_v + depth[None, :]
        v = tl.load(v_tile, mask=valid[:, None], other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc)
        best = largest
    total = tl.where(total == 0.0, 1.0, total)
    acc = acc / total[:, None]
)";
  for (int i = 0; i < 24; ++i) // an epilogue
    text += "    acc = acc * " + std::to_string(i) + ".5 + tl.where(acc > " + std::to_string(i) + ", acc, 0.0)\n";
  return text + R"(
    o_tile = o_ptr + head * length * stride_o + rows[:, None] * stride_o + depth[None, :]
    tl.store(o_tile, acc.to(tl.float16), mask=inside[:, None])
    tl.store(m_ptr + head * length + rows, best + tl.log2(total), mask=inside)
    count = 0
    for i in range(length):
        if i * BN > window:
            break
        if i % 2 == 0:
            continue
        count += 1
    tl.store(m_ptr, count.to(tl.float32))
)";
}

/// `line` repeated inside itself, then `innermost`.
static std::string nested(unsigned depth, llvm::function_ref<std::string(unsigned)> line, llvm::StringRef innermost) {
  std::string text = header.str() + "@triton.jit\ndef kernel(p, n):\n    a, b = n, n\n", indentation = "    ";
  for (unsigned level = 0; level < depth; ++level) {
    text += indentation + line(level) + "\n";
    indentation += " ";
    text += indentation + "a, b = b + a, a * 2\n";
  }
  return text + indentation + innermost.str() + "\n    tl.store(p, a + b)\n";
}

/// Functions each of which calls the next one twice.
static std::string calls(unsigned depth) {
  std::string text = header.str();
  for (unsigned level = depth; level-- > 0;) {
    std::string name = level == 0 ? "kernel" : "f" + std::to_string(level), next = "f" + std::to_string(level + 1);
    text += "@triton.jit\ndef " + name + "(p, n):\n";
    if (level + 1 == depth)
      text += "    tl.store(p, n)\n    return n + 1\n\n";
    else
      text.append("    n = ").append(next).append("(p, n)\n    return ").append(next).append("(p, n * 2)\n\n");
  }
  return text;
}

static KernelArgument argument(triton::base::ScalarType type, unsigned pointerDepth = 0) {
  KernelArgument result;
  result.type = {type, uint8_t(pointerDepth), false};
  return result;
}

static KernelArgument constant(ObjectRef value) {
  KernelArgument result;
  result.constant = std::move(value);
  return result;
}

/// The least milliseconds of `repetitions` from the text to a module.
static double measure(mlir::MLIRContext &context, const std::string &text, llvm::StringRef name,
                      const std::vector<KernelArgument> &arguments, int repetitions) {
  double least = 1e9;
  LoweringOptions options;
  options.language.target.backend = "cuda";
  for (int i = 0; i < repetitions; ++i) {
    auto begin = std::chrono::steady_clock::now();
    auto module = LoadedModule::fromText(text, "kernel.py", builtinModule);
    auto function = module->function(std::string_view(name.data(), name.size()));
    mlir::OwningOpRef<mlir::ModuleOp> lowered = lowerKernel(context, *function, arguments, options, name);
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    least = std::min(least, elapsed.count());
  }
  return least;
}

int main() {
  using triton::base::ScalarType;
  mlir::MLIRContext context;
  KernelArgument half = argument(ScalarType::Float16, 1), single = argument(ScalarType::Float32, 1),
                 number = argument(ScalarType::Int32);
  std::vector<KernelArgument> attention = {half, half, half, half, single, number, number, number, number};
  attention.push_back(argument(ScalarType::Float32));
  attention.insert(attention.end(), {number, number});
  for (int64_t value : {64, 128, 64, 1, 0})
    attention.push_back(constant(makeInteger(value)));
  std::string text = hundredLines();
  double cold = measure(context, text, "attend", attention, 1);
  llvm::outs() << llvm::format("%zu lines: %.2f ms, the first time %.2f ms\n", llvm::StringRef(text).count('\n'),
                               measure(context, text, "attend", attention, 30), cold);

  std::vector<KernelArgument> two = {argument(ScalarType::Int32, 1), number};
  auto grows = [&](llvm::StringRef name, llvm::function_ref<std::string(unsigned)> make) {
    llvm::outs() << name << ", ms by depth:";
    for (unsigned depth : {4, 8, 16, 32, 64})
      llvm::outs() << llvm::format(" %u: %.2f", depth, measure(context, make(depth), "kernel", two, 7));
    llvm::outs() << "\n";
  };
  auto loop = [](unsigned level) { return "for i" + std::to_string(level) + " in range(n):"; };
  grows("nested for", [&](unsigned depth) { return nested(depth, loop, "a += 1"); });
  grows("nested for with break", [&](unsigned depth) { return nested(depth, loop, "if a > 9: break"); });
  grows("nested while",
        [&](unsigned depth) { return nested(depth, [](unsigned) { return "while a < n:"; }, "a += 1"); });
  grows("nested if", [&](unsigned depth) {
    return nested(depth, [](unsigned level) { return "if a > " + std::to_string(level) + ":"; }, "a += 1");
  });
  grows("calls of the next function twice", calls);
}
