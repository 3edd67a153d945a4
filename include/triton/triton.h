// The C++ API of Triton: compile kernels written in the kernel language and run them, without Python.
//
//   auto kernel = triton::Module::load("add.py").kernel("add");
//   kernel.launch({.grid = n / 1024}, x, y, out, n, triton::constant("BLOCK", 1024));
//
// Objects here are handles: copies share one module or kernel. All functions may be called from several threads at
// once.
#pragma once

#include "triton/types.h"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace triton {

/// The version of the library: `3.9.0+nereid.g<commit>`.
TRITON_API const char *version();

/// What went wrong. `what()` is the complete text, several lines where the kernel's source is shown.
class TRITON_API Error : public std::runtime_error {
public:
  enum class Kind {
    Source,   ///< the kernel file cannot be read or parsed, or does not contain the kernel
    Compile,  ///< the kernel is wrong for the given argument types; line() and column() say where
    Launch,   ///< the launch is wrong: its grid, or an argument that is missing, surplus or unsuitable
    Run,      ///< a device_assert failed, the simulator found an error, or the device did
    Internal, ///< a defect of the compiler
  };
  Error(Kind kind, const std::string &text, std::string message, unsigned line = 0, unsigned column = 0);
  ~Error() override;

  Kind kind() const { return errorKind; }
  /// The message alone, without place and excerpt.
  const std::string &message() const { return shortMessage; }
  /// Place in the kernel file, from 1; 0 when the error has none.
  unsigned line() const { return sourceLine; }
  unsigned column() const { return sourceColumn; }

private:
  Kind errorKind;
  std::string shortMessage;
  unsigned sourceLine, sourceColumn;
};

/// The outcome of a function that does not throw.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(const Error &error) : failure(std::make_shared<const Error>(error)) {}
  explicit operator bool() const { return !failure; }
  /// Null on success.
  const Error *error() const { return failure.get(); }

private:
  std::shared_ptr<const Error> failure;
};

/// How many programs run, in up to three dimensions; `program_id(0)` counts the first. Extents are 0 (nothing runs) to
/// 2^31 - 1.
class Grid {
public:
  template <std::integral X> Grid(X x) : extents{int64_t(x), 1, 1} {}
  template <std::integral X, std::integral Y> Grid(X x, Y y) : extents{int64_t(x), int64_t(y), 1} {}
  template <std::integral X, std::integral Y, std::integral Z>
  Grid(X x, Y y, Z z) : extents{int64_t(x), int64_t(y), int64_t(z)} {}
  int64_t operator[](int dimension) const { return extents[dimension]; }

private:
  int64_t extents[3];
};

/// How to compile and run. The CPU ignores numWarps, numStages and numCtas.
struct LaunchOptions {
  Grid grid = 1;
  /// Where: "cpu"; "cuda" or "hip", which are the current device, or "cuda:90" for compute capability 9.0 and
  /// "hip:gfx942" for that architecture; "sim:cuda:90", that GPU in a simulator, which checks every access. A launch on
  /// a GPU takes addresses of its memory (DeviceBuffer) and returns before the kernel ends.
  std::string_view target = "cpu";
  int threads = 0; ///< CPU threads that run the grid, the calling one included; 0: one for each processor
  int numWarps = 4;
  int numStages = 3;
  int numCtas = 1;
  bool debug = false;              ///< compile `device_assert` and `assert`
  bool sanitizeOverflow = false;   ///< with debug: integer `+ - *` check for overflow
  bool enableFpFusion = true;      ///< a*b+c may become one fused operation
  bool lineInfo = true;            ///< line tables in the machine code
  std::string_view arch = {};      ///< CPU to compile for, such as "x86-64-v3" or "neoverse-v2"; empty: this machine's
  void *stream = nullptr;          ///< on a GPU: the stream; null: the default one
  std::string_view lastStage = {}; ///< Kernel::compile only: stop after this stage, such as "ttir"; empty: all
  /// Kernel::compile only: makes the artifact "explain", which says in JSON why a kernel for a GPU is as fast as it is
  /// (docs/tritonc.md).
  bool explain = false;
  /// The options of docs/options.md that have no member here, by name, such as {"maxnreg", "64"}.
  std::vector<std::pair<std::string_view, std::string_view>> extra = {};
};

/// The value of a parameter that is known at compile time. Made by `constant`.
struct Constant {
  enum class Kind : uint8_t { None, Boolean, Integer, Float, String, DataType, Function, Object };
  std::string_view name; ///< of the parameter; empty when given by position
  Kind kind = Kind::None;
  int64_t integer = 0; ///< Boolean and Integer
  double number = 0;
  std::string_view text; ///< of a String; must live until the launch returns
  DataType dtype = dtype::void_;
  std::shared_ptr<void> function; ///< of a Kernel, or an object that tools of the compiler have made
};

class Kernel;

/// A compile-time value for the parameter `name`: an integer, bool, float, string, dtype, None (nullptr) or another
/// kernel to call.
template <std::integral T> Constant constant(std::string_view name, T value) {
  Constant result;
  result.name = name;
  result.kind = std::same_as<T, bool> ? Constant::Kind::Boolean : Constant::Kind::Integer;
  result.integer = int64_t(value);
  return result;
}
template <std::floating_point T> Constant constant(std::string_view name, T value) {
  Constant result;
  result.name = name;
  result.kind = Constant::Kind::Float;
  result.number = double(value);
  return result;
}
inline Constant constant(std::string_view name, std::string_view value) {
  Constant result;
  result.name = name;
  result.kind = Constant::Kind::String;
  result.text = value;
  return result;
}
inline Constant constant(std::string_view name, const char *value) { return constant(name, std::string_view(value)); }
inline Constant constant(std::string_view name, std::nullptr_t) {
  Constant result;
  result.name = name;
  return result;
}
inline Constant constant(std::string_view name, DataType value) {
  Constant result;
  result.name = name;
  result.kind = Constant::Kind::DataType;
  result.dtype = value;
  return result;
}
TRITON_API Constant constant(std::string_view name, const Kernel &function);

/// A pointer to elements of a type that C++ lacks or that is known only at run time.
struct TypedPointer {
  const void *address;
  DataType dtype;
  std::size_t bytes = 0; ///< of the memory there, for the simulator; 0: not known
};
inline TypedPointer pointer(const void *address, DataType dtype, std::size_t bytes = 0) {
  return {address, dtype, bytes};
}

/// An array that a kernel accesses in blocks, for a parameter with `load` and `store` methods. Extents and strides are
/// in elements; the address and all strides but the last, which is 1, are multiples of 16 bytes.
struct TensorDescriptor {
  enum class Padding : uint8_t { Zero, NaN };
  TypedPointer base;
  std::vector<int64_t> shape, strides;
  std::vector<int64_t> blockShape; ///< powers of two
  Padding padding = Padding::Zero; ///< what loads give outside the array
  bool roundToTF32 = false;        ///< loads round float32 elements to ten mantissa bits
  int bufferSwizzle = -1;          ///< for Gluon: the bytes of the swizzled pieces of buffers, 0, 32, 64 or 128
};

/// Memory of the current GPU, which PyTorch and the run-time library of its vendor also call current. Throws Error.
class TRITON_API DeviceBuffer {
public:
  explicit DeviceBuffer(std::size_t bytes);
  DeviceBuffer(const void *host, std::size_t bytes) : DeviceBuffer(bytes) { upload(host, bytes); }
  DeviceBuffer(DeviceBuffer &&other) noexcept
      : address(std::exchange(other.address, nullptr)), length(std::exchange(other.length, 0)) {}
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    std::swap(address, other.address);
    std::swap(length, other.length);
    return *this;
  }
  ~DeviceBuffer();

  void *data() const { return address; }
  std::size_t size() const { return length; }
  void upload(const void *host, std::size_t bytes);
  /// Waits for the kernels that were launched before.
  void download(void *host, std::size_t bytes) const;

private:
  void *address = nullptr;
  std::size_t length = 0;
};

/// Waits for all kernels of the current GPU. Throws Error when one of them failed.
TRITON_API void synchronize();

/// An argument that has only a type, for Kernel::compile: "*fp32", "*fp32:16" (the address is a multiple of 16), "i32",
/// "tensordesc<fp16[64, 32]>".
struct TypeOnly {
  std::string_view signature;
};
inline TypeOnly type(std::string_view signature) { return {signature}; }

/// One argument of a launch. Made implicitly from: a pointer to an arithmetic type or to half, bfloat16 and the float8
/// types; a std::span of such; an integer, bool or floating-point number; a TensorDescriptor; a Constant; nullptr
/// (None).
class Argument {
public:
  enum class Kind : uint8_t { None, Boolean, Integer, Unsigned, Float, Pointer, Constant, TypeOnly, Descriptor };

  template <typename T>
    requires(!std::is_void_v<T>)
  Argument(T *address) : valueKind(Kind::Pointer), type(dataTypeOf<std::remove_cv_t<T>>()), bits(toBits(address)) {}
  template <typename T, std::size_t Extent> Argument(std::span<T, Extent> values) : Argument(values.data()) {
    memory = values.size_bytes();
  }
  template <typename T> Argument(const std::vector<T> &values) : Argument(values.data()) {
    memory = values.size() * sizeof(T);
  }
  Argument(TypedPointer pointer)
      : valueKind(Kind::Pointer), type(pointer.dtype), memory(pointer.bytes), bits(toBits(pointer.address)) {}
  template <std::integral T>
  Argument(T value)
      : valueKind(std::same_as<T, bool>                                            ? Kind::Boolean
                  : std::is_unsigned_v<T> && uint64_t(value) > uint64_t(INT64_MAX) ? Kind::Unsigned
                                                                                   : Kind::Integer),
        bits(uint64_t(int64_t(value))) {}
  template <std::floating_point T> Argument(T value) : valueKind(Kind::Float), number(double(value)) {}
  Argument(std::nullptr_t) : valueKind(Kind::None) {}
  /// The constant must outlive the argument.
  Argument(const Constant &value) : valueKind(Kind::Constant), parameterName(value.name), constantValue(&value) {}
  /// The descriptor must outlive the argument.
  Argument(const TensorDescriptor &value) : valueKind(Kind::Descriptor), descriptorValue(&value) {}
  Argument(TypeOnly value) : valueKind(Kind::TypeOnly), typeSignature(value.signature) {}
  Argument(std::string_view parameter, const Argument &value) : Argument(value) { parameterName = parameter; }

  Kind kind() const { return valueKind; }
  /// The parameter that the argument is for; empty when the argument goes by its position.
  std::string_view parameter() const { return parameterName; }
  DataType dtype() const { return type; }
  /// Bytes of the memory behind a pointer; 0: not known.
  std::size_t memoryBytes() const { return memory; }
  uint64_t rawBits() const { return bits; }
  double floating() const { return number; }
  const Constant &constant() const { return *constantValue; }
  const TensorDescriptor &descriptor() const { return *descriptorValue; }
  std::string_view signature() const { return typeSignature; }

private:
  static uint64_t toBits(const void *address) { return reinterpret_cast<std::uintptr_t>(address); }

  Kind valueKind;
  DataType type = dtype::void_;
  std::string_view parameterName;
  std::size_t memory = 0;
  union {
    uint64_t bits = 0;
    double number;
    const Constant *constantValue;
    const TensorDescriptor *descriptorValue;
    std::string_view typeSignature;
  };
};

/// An argument for the parameter `name`, wherever it stands: `triton::argument("n", n)`.
inline Argument argument(std::string_view name, const Argument &value) { return Argument(name, value); }

/// A kernel compiled for certain argument types.
class TRITON_API CompiledKernel {
public:
  /// The kernel's symbol.
  const std::string &name() const;
  /// In order: on the CPU "source", "ttir", "ttcir", "llir", "asm", "o"; on a GPU "source", "ttir", "ttgir", "llir",
  /// "ptx", "cubin".
  std::vector<std::string> artifactNames() const;
  /// Text or bytes of that artifact. Throws Error when no artifact has that name.
  std::string artifact(std::string_view name) const;
  /// A JSON object.
  const std::string &metadata() const;

private:
  friend class Kernel;
  friend class CompileFuture;
  explicit CompiledKernel(std::shared_ptr<const void> state) : state(std::move(state)) {}
  std::shared_ptr<const void> state;
};

/// A compilation in the background. Copies share it; all functions may be called from several threads. Who drops a
/// future does not stop the compilation.
class TRITON_API CompileFuture {
public:
  struct State; ///< internal to the library

  /// Whether the compilation has ended, with a kernel or with an error.
  bool isReady() const { return waitFor(std::chrono::nanoseconds(0)); }
  /// Waits at most this long; the value of isReady then.
  bool waitFor(std::chrono::nanoseconds duration) const;
  /// Waits for the kernel. Throws Error when it cannot be compiled, each time.
  CompiledKernel get() const;

private:
  friend class Kernel;
  explicit CompileFuture(std::shared_ptr<const State> state) : state(std::move(state)) {}
  std::shared_ptr<const State> state;
};

class Context;

/// A `@triton.jit` function. Compiles on the first launch of each combination of argument types and constants.
class TRITON_API Kernel {
public:
  struct State; ///< internal to the library
  const std::string &name() const;

  /// Runs the kernel over the grid and returns when all programs are done. Arguments come in the order of the
  /// parameters; those with a name (constants, `argument`) go to the parameter of that name, wherever they stand. Array
  /// arguments are addresses of the first element; the kernel sees their element type. Throws Error.
  template <typename... Arguments> void launch(const LaunchOptions &options, const Arguments &...arguments) const {
    const Argument list[sizeof...(Arguments) + 1] = {Argument(arguments)..., Argument(nullptr)};
    launchArguments(options, {list, sizeof...(Arguments)});
  }
  /// As launch, but returns the error. Throws nothing of its own (std::bad_alloc remains).
  template <typename... Arguments> Status tryLaunch(const LaunchOptions &options, const Arguments &...arguments) const {
    try {
      launch(options, arguments...);
    } catch (const Error &error) {
      return error;
    }
    return {};
  }
  /// Compiles for the types of these arguments (values or `type("*fp32")`) without running. Throws Error.
  template <typename... Arguments>
  CompiledKernel compile(const LaunchOptions &options, const Arguments &...arguments) const {
    const Argument list[sizeof...(Arguments) + 1] = {Argument(arguments)..., Argument(nullptr)};
    return compileArguments(options, {list, sizeof...(Arguments)});
  }

  /// The same in the background, on a thread of the kernel's context. Launches with such arguments that come meanwhile
  /// wait for it. Throws Error when the arguments are wrong; errors of the compilation are the future's.
  template <typename... Arguments>
  CompileFuture compileAsync(const LaunchOptions &options, const Arguments &...arguments) const {
    const Argument list[sizeof...(Arguments) + 1] = {Argument(arguments)..., Argument(nullptr)};
    return compileArgumentsAsync(options, {list, sizeof...(Arguments)});
  }

  /// The same with a list whose length is known only at run time.
  void launchArguments(const LaunchOptions &options, std::span<const Argument> arguments) const;
  CompiledKernel compileArguments(const LaunchOptions &options, std::span<const Argument> arguments) const;
  CompileFuture compileArgumentsAsync(const LaunchOptions &options, std::span<const Argument> arguments) const;

private:
  friend class Module;
  friend struct KernelInternals; ///< internal to the library
  friend Constant constant(std::string_view name, const Kernel &function);
  explicit Kernel(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

/// A `.py` file with kernels. It is read, not run: kernels, the constants and the imports that they use count. The
/// kernels belong to the context that is given (triton/context.h), which the module keeps alive. Without one they
/// belong to that of the process, which reads the environment's variables at each compilation, compiles on the calling
/// thread and has no limits. Compiled kernels stay in memory as long as the module, its kernels and the limits of the
/// context let them.
class TRITON_API Module {
public:
  /// Throws Error when the file cannot be read or parsed.
  static Module load(const std::string &path);
  static Module load(const std::string &path, const Context &context);
  /// The same for text; `name` stands for the file in messages.
  static Module fromString(std::string text, const std::string &name = "<string>");
  static Module fromString(std::string text, const std::string &name, const Context &context);

  /// Throws Error, which lists the kernels of the module, when none has that name.
  Kernel kernel(std::string_view name) const;
  /// In the order of the file.
  std::vector<std::string> kernelNames() const;

  struct State; ///< internal to the library

private:
  friend struct KernelInternals; ///< internal to the library
  explicit Module(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

} // namespace triton
