// Finds instruction handlers by operation and element type. A null result means that the simulator does not know the
// combination; the decoder then reports the instruction. `bytes` is the size of one lane's element; 0 stands for
// one-bit elements, whose register is a lane mask.
#pragma once

#include "simulator/core/Program.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

namespace triton::simulator {

enum class FloatFormat : uint8_t { Half, BFloat, Single, Double };

// Integers (IntegerHandlers.cpp). The operands are those of the LLVM instruction.
Handler findIntegerBinary(unsigned opcode, unsigned bytes);
Handler findIntegerCompare(llvm::CmpInst::Predicate predicate, unsigned bytes);
Handler findIntegerIntrinsic(llvm::StringRef name, unsigned bytes); ///< "ctpop", "smax", "fshl", "mulhi.u", ...
/// Whether a sum, difference or product wraps around.
Handler findIntegerOverflow(unsigned opcode, bool isSigned, unsigned bytes);
Handler findIntegerCast(unsigned opcode, unsigned fromBytes, unsigned toBytes);
Handler findSelect(unsigned bytes);
Handler findCopy(unsigned bytes);
/// Regroups registers when a bit cast changes the element size; `detail` is an OperandList.
Handler regroupBytes();

// Floating point (FloatHandlers.cpp). Names may end in ".ftz".
Handler findFloatCompare(llvm::CmpInst::Predicate predicate, FloatFormat format);
Handler findFloatUnary(llvm::StringRef name, FloatFormat format);     ///< "fneg", "fabs", "floor", "sqrt", "ex2", ...
Handler findFloatIntrinsic(llvm::StringRef name, FloatFormat format); ///< two or three operands: "add", "fma", ...
/// Whether a number belongs to one of the classes of a mask (ClassHandlers.cpp).
Handler findFloatClass(FloatFormat format);
/// "add.rz", "fma.rm", "sqrt.rp", ...: operations that do not round to nearest (DirectedRounding.cpp).
Handler findDirectedRounding(llvm::StringRef name, FloatFormat format);
/// "ll2f.rz", "ui2d.rn", "d2f.rp", ...: conversions to floats by the letters of the types, and their rounding.
Handler findDirectedCast(llvm::StringRef name);

// Conversions (ConversionHandlers.cpp).
Handler findFloatCast(FloatFormat from, FloatFormat to); ///< to nearest even
Handler findFloatToInteger(FloatFormat from, unsigned toBytes, bool isSigned);
Handler findIntegerToFloat(unsigned fromBytes, FloatFormat to, bool isSigned);

// Memory (MemoryHandlers.cpp). operands[0]: address. Shared addresses are offsets into the program's window.
struct AccessShape {
  unsigned elementBytes; ///< 0: one-bit elements, a byte each in memory
  unsigned count;        ///< consecutive elements and registers
  bool shared;
  bool masked; ///< `detail` is an OperandList
};
/// Load: result. Store: operands[1] is the first value register. The low 32 bits of the immediate are the alignment in
/// bytes, and the high ones are `count`. The inputs of a masked access are the lane masks of the elements, and those of
/// a load also what lanes receive that read nothing.
Handler findLoad(const AccessShape &shape);
Handler findStore(const AccessShape &shape);
Handler sharedToGeneric();
Handler genericToShared();
/// operands[0] is a shared pointer or an address, operands[1] the rank of a program in the cluster. The result is the
/// corresponding address in the shared memory of that program.
Handler sharedOfRank(bool fromShared);
/// Address of the lane's local memory plus the immediate.
Handler localAddress();
/// An asynchronous copy: operands[0] shared destination, [1] global source, [2] source bytes when `detail` is set;
/// immediate: bytes.
Handler asynchronousCopy();
Handler commitCopyGroup();
Handler waitCopyGroup();

// Atomics (AtomicHandlers.cpp).
/// operands: address, value. Operations on floats need their format.
Handler findAtomic(llvm::AtomicRMWInst::BinOp operation, unsigned bytes, std::optional<FloatFormat> format,
                   bool shared);
/// operands: address, expected, desired.
Handler findCompareExchange(unsigned bytes, bool shared);
/// Orders accesses as the instruction's `order` says.
Handler fenceHandler();

// Numbers of programs, threads, lanes and warps (IdHandlers.cpp).
Handler programIdHandler(unsigned axis);
Handler programCountHandler(unsigned axis);
Handler threadIdHandler(); ///< in the program
Handler threadCountHandler();
Handler laneIdHandler();
Handler warpIdHandler();
/// The multiprocessor on which the program could run, a number below 132.
Handler multiprocessorIdHandler();
/// Nanoseconds, as 64 bits. Each instruction of the warp takes one nanosecond, and time passes while all programs wait.
Handler timeHandler();
// The same for clusters, and for programs within their cluster.
Handler clusterIdHandler(unsigned axis);
Handler clusterCountHandler(unsigned axis);
Handler idInClusterHandler(unsigned axis);
Handler clusterSizeHandler(unsigned axis);
Handler rankInClusterHandler();
Handler programsOfClusterHandler();

// Barriers (BarrierHandlers.cpp). operands[0]: the barrier's number, [1]: how many threads meet there. The immediate is
// the number of operands. Without a number it is barrier 0; without a count, all threads of the program meet.
Handler barrierHandler();
Handler barrierArriveHandler(); ///< arrives and does not wait
Handler clusterArriveHandler(); ///< if the instruction's `order` releases, orders what the warp has done
Handler clusterWaitHandler();
// The same for targets whose barriers order no memory. What a warp did before its last release fence happens before
// what another does after its next acquire fence.
Handler bareBarrierHandler();
Handler bareArriveHandler(); ///< of barrier 0, as the next one
Handler bareWaitHandler();

// Asynchronous matrix products (ProductHandlers.cpp). Handlers that concern registers have an OperandList as `detail`.
Handler registerUseHandler();        ///< inputs that an instruction is about to use
Handler registerDefinitionHandler(); ///< inputs that an instruction has written
Handler registerPassHandler();       ///< outputs that have received the values of the inputs
Handler productFenceHandler();       ///< orders what was done with registers before products
Handler productCommitHandler();      ///< closes a group of products
Handler productWaitHandler();        ///< waits until at most `immediate` groups are left
Handler proxyFenceHandler();         ///< makes what the warp knows visible to asynchronous operations

/// An instruction on barriers in shared memory (MemoryBarrierHandlers.cpp). operands[0]: the address, 8 bytes; [1]: a
/// number of arrivals or bytes, a parity, or a token of 8 bytes; [2]: the lanes that execute it. `detail` is the
/// operation.
struct MemoryBarrierOperation {
  enum class Kind : uint8_t { Initialize, Invalidate, Arrive, CountBytes, CountPending, Test, ArriveByCopies };
  Kind kind;
  bool expectsBytes = false;    ///< arrives once and announces bytes; or only announces them
  bool drops = false;           ///< the thread does not arrive in later phases
  bool mustNotComplete = false; ///< the arrival must not be the last one
  bool hasResult = false;
  bool hasToken = false; ///< asks for the phase of a token, not for that of a parity
  bool mayWait = false;  ///< waits until the answer is yes
  bool isOrdered = true; ///< arriving releases, and a phase that has ended is acquired
};
Handler memoryBarrierHandler(MemoryBarrierOperation::Kind kind);
Handler barrierFenceHandler(); ///< makes the barriers that the warp has initialized visible to asynchronous operations

// Control flow (ControlHandlers.cpp). `detail` points at the edges.
struct BranchTargets {
  const Edge *taken = nullptr, *notTaken = nullptr;
};
struct SwitchTargets {
  std::vector<std::pair<uint64_t, const Edge *>> cases;
  const Edge *otherwise = nullptr;
  unsigned bytes = 4;
};
Handler jumpHandler();
Handler branchHandler(); ///< operands[0]: condition
Handler switchHandler(); ///< operands[0]: value
Handler returnHandler();
Handler trapHandler();            ///< detail: message, or null
Handler failedAssertionHandler(); ///< whose text the launch knows
Handler assumptionHandler();      ///< operands[0]: what holds according to the kernel
Handler nothingHandler();

} // namespace triton::simulator
