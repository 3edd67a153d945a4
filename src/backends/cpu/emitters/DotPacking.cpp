#include "backends/cpu/emitters/Conversions.h"
#include "backends/cpu/emitters/DotLoops.h"

#include "llvm/Support/MathExtras.h"

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;

class PackingEmitter {
public:
  PackingEmitter(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan)
      : plan(plan), loops(builder, loc), type(multiplicandType(plan, builder.getContext())) {}

  /// For MultiplyAdd, A is read element by element, so any strides are possible. Otherwise groups must be contiguous
  /// along K.
  DotMatrix packA(DotMatrix a, mlir::Value buffer) {
    if (plan.method == DotMethod::Blocks)
      return packRowPairs(a, buffer);
    bool misplaced = plan.method != DotMethod::MultiplyAdd && a.columnStride != 1;
    if (!plan.packsA && !misplaced)
      return a;
    // The conversion leaves transposed matrices transposed if that does not slow the inner loop.
    if (plan.method == DotMethod::MultiplyAdd && a.rowStride == 1) {
      copy({a.base, a.columnStride, a.rowStride}, buffer, plan.shape.aType, plan.shape.k, plan.shape.m);
      return {buffer, 1, plan.shape.m};
    }
    copy(a, buffer, plan.shape.aType, plan.shape.m, plan.shape.k);
    return {buffer, plan.shape.k, 1};
  }

  DotMatrix packB(DotMatrix b, mlir::Value buffer) {
    if (b.base && !plan.packsB && b.columnStride == 1)
      return b;
    int64_t group = groupSize(plan);
    int64_t n = plan.shape.n, groups = plan.shape.k / group;
    if (b.base && b.columnStride == 1)
      loops.loop(groups, 1, [&](mlir::Value k) { interleaveRows(b, k, buffer); });
    else if (b.base && b.rowStride == 1)
      transpose(b, buffer, group);
    else if (b.base) // otherwise it is packed already
      loops.loop(n, 1, [&](mlir::Value column) {
        loops.loop(plan.shape.k, 1, [&](mlir::Value k) { copyElement(b, k, column, buffer, group); });
      });
    return {buffer, plan.panelColumns * group, 1};
  }

  /// Stores neighbouring columns of a group's rows, in as many panels as they belong to.
  void storeInterleaved(mlir::ValueRange rows, mlir::Value k, mlir::Value column, mlir::Value buffer) {
    int64_t group = groupSize(plan);
    llvm::SmallVector<mlir::Value, 4> converted;
    for (mlir::Value row : rows)
      converted.push_back(convert(row, plan.shape.bType, /*isA=*/false));
    mlir::Value packed = interleave(converted);
    mlir::Value target = loops.address(buffer, type, loops.multiply(packedOffset(k, column), group));
    int64_t count = llvm::cast<mlir::VectorType>(packed.getType()).getNumElements();
    int64_t inPanel = std::min(count, plan.panelColumns * group);
    if (inPanel == count)
      return loops.store(packed, target);
    for (int64_t panel = 0; panel < count / inPanel; ++panel) {
      auto part = llvm::to_vector(llvm::seq<int64_t>(panel * inPanel, (panel + 1) * inPanel));
      mlir::Value values = mlir::vector::ShuffleOp::create(loops.builder, loops.loc, packed, packed, part);
      loops.store(values, loops.address(target, type, panel * plan.panelColumns * plan.shape.k));
    }
  }

  /// Computes 128 x the sum of each column with the instruction of the inner loop.
  void sumColumns(mlir::Value packedB, mlir::Value sums) {
    int64_t width = plan.lanes * 4;
    mlir::Type i32 = loops.builder.getI32Type(), bytes = loops.vectorOf(width, type);
    mlir::Type accumulator = loops.vectorOf(plan.lanes, i32);
    mlir::Value bias = loops.splat(constant(type, -128), bytes);
    mlir::Value zero = loops.splat(constant(i32, 0), accumulator);
    loops.loop(plan.shape.n, plan.lanes, [&](mlir::Value column) {
      mlir::Value first = loops.address(packedB, i32, packedOffset(loops.index(0), column));
      auto total = loops.loop(plan.shape.k / 4, 1, mlir::ValueRange{zero}, [&](mlir::Value k, mlir::ValueRange sum) {
        mlir::Value quads = loops.load(bytes, loops.address(first, i32, loops.multiply(k, plan.panelColumns)));
        return llvm::SmallVector<mlir::Value>{
            loops.callIntrinsic(groupInstruction(plan), accumulator, {sum[0], bias, quads})};
      });
      loops.store(total[0], loops.address(sums, i32, column));
    });
  }

private:
  /// Where a group of K lies in the packed B, counted in groups.
  mlir::Value packedOffset(mlir::Value k, mlir::Value column) {
    mlir::Value row = loops.multiply(k, plan.panelColumns);
    if (plan.panelColumns == plan.shape.n)
      return loops.add(row, column);
    mlir::Value inPanel = arith::RemUIOp::create(loops.builder, loops.loc, column, loops.index(plan.panelColumns));
    mlir::Value panel = arith::SubIOp::create(loops.builder, loops.loc, column, inPanel);
    return loops.add(loops.add(row, inPanel), loops.multiply(panel, plan.shape.k / groupSize(plan)));
  }

  mlir::Value constant(mlir::Type element, int64_t value) {
    return arith::ConstantOp::create(loops.builder, loops.loc, loops.builder.getIntegerAttr(element, value));
  }

  /// Converts an operand's value, or vector of values, to the type of the inner loop.
  mlir::Value convert(mlir::Value value, mlir::Type from, bool isA) {
    if (auto format = llvm::dyn_cast<mlir::FloatType>(from))
      return emitConversion(loops.builder, loops.loc, value, formatOf(from), formatOf(type), Rounding::NearestEven,
                            *plan.target);
    auto shape = llvm::dyn_cast<mlir::VectorType>(value.getType());
    mlir::Type wide = shape ? mlir::Type(mlir::VectorType::get(shape.getShape(), type)) : type;
    if (wide != value.getType())
      return arith::ExtSIOp::create(loops.builder, loops.loc, wide, value);
    if (!isA || !plan.biasesA)
      return value;
    // The first operand of vpdpbusd is unsigned: x + 128, which is x with its sign bit flipped.
    mlir::Value flip = constant(type, -128);
    return arith::XOrIOp::create(loops.builder, loops.loc, value, shape ? loops.splat(flip, wide) : flip);
  }

  /// Copies a matrix of the form of A into `buffer`, row after row; by vectors along the rows if these are contiguous.
  void copy(DotMatrix from, mlir::Value buffer, mlir::Type fromType, int64_t rows, int64_t columns) {
    mlir::Type stored = storageType(fromType);
    int64_t width =
        from.columnStride == 1 ? std::min<int64_t>(columns, plan.target->lanes(type.getIntOrFloatBitWidth())) : 1;
    mlir::Type loaded = width == 1 ? stored : loops.vectorOf(width, stored);
    loops.loop(rows, 1, [&](mlir::Value row) {
      mlir::Value source = loops.address(from.base, stored, loops.multiply(row, from.rowStride));
      mlir::Value target = loops.address(buffer, type, loops.multiply(row, columns));
      loops.loop(columns, width, [&](mlir::Value column) {
        mlir::Value value =
            loops.load(loaded, loops.address(source, stored, loops.multiply(column, from.columnStride)));
        loops.store(convert(value, fromType, /*isA=*/true), loops.address(target, type, column));
      });
    });
  }

  /// Copies pairs of rows of A, whose groups take turns, so that a vector holds a group of both.
  DotMatrix packRowPairs(DotMatrix a, mlir::Value buffer) {
    int64_t group = groupSize(plan), depth = plan.shape.k;
    mlir::Type stored = storageType(plan.shape.aType), whole = loops.builder.getI64Type();
    // Elements that are not neighbours in memory are copied one by one.
    int64_t width = a.columnStride == 1 ? std::min<int64_t>(depth, 2 * group) : 1;
    mlir::Type loaded = width == 1 ? stored : loops.vectorOf(width, stored);
    loops.loop(plan.shape.m, 2, [&](mlir::Value row) {
      mlir::Value source = loops.address(a.base, stored, loops.multiply(row, a.rowStride));
      mlir::Value target = loops.address(buffer, type, loops.multiply(row, depth));
      auto load = [&](mlir::Value k, int64_t rowOffset) {
        mlir::Value from = loops.address(source, stored, loops.multiply(k, a.columnStride));
        mlir::Value value = loops.load(loaded, loops.address(from, stored, rowOffset * a.rowStride));
        return convert(value, plan.shape.aType, /*isA=*/true);
      };
      if (width == 1)
        return loops.loop(depth / group, 1, [&](mlir::Value k) {
          mlir::Value place = loops.address(target, type, loops.multiply(k, 2 * group));
          for (int64_t i = 0; i < group; ++i)
            for (int64_t rowOffset : {0, 1})
              loops.store(load(loops.add(loops.multiply(k, group), loops.index(i)), rowOffset),
                          loops.address(place, type, rowOffset * group + i));
        });
      loops.loop(depth, width, [&](mlir::Value k) {
        mlir::Type groups = loops.vectorOf(width / group, whole);
        mlir::Value first = loops.bitcast(load(k, 0), groups), second = loops.bitcast(load(k, 1), groups);
        mlir::Value both = mlir::vector::InterleaveOp::create(loops.builder, loops.loc, first, second);
        mlir::Type elements = loops.vectorOf(2 * width, type);
        loops.store(loops.bitcast(both, elements), loops.address(target, type, loops.multiply(k, 2)));
      });
    });
    return {buffer, depth, 1};
  }

  /// Interleaves the rows group * k, group * k + 1, ... of B element by element.
  void interleaveRows(DotMatrix b, mlir::Value k, mlir::Value buffer) {
    int64_t group = groupSize(plan), n = plan.shape.n;
    mlir::Type stored = storageType(plan.shape.bType);
    int64_t width = group == 1 ? plan.lanes : packedColumns(plan);
    mlir::Value source = loops.address(b.base, stored, loops.multiply(k, b.rowStride * group));
    loops.loop(n, width, [&](mlir::Value column) {
      llvm::SmallVector<mlir::Value, 4> rows;
      mlir::Value first = loops.address(source, stored, column);
      for (int64_t row = 0; row < group; ++row)
        rows.push_back(loops.load(loops.vectorOf(width, stored), loops.address(first, stored, row * b.rowStride)));
      storeInterleaved(rows, k, column, buffer);
    });
  }

  mlir::Value interleave(llvm::ArrayRef<mlir::Value> rows) {
    if (rows.size() == 1)
      return rows[0];
    if (rows.size() == 2)
      return mlir::vector::InterleaveOp::create(loops.builder, loops.loc, rows[0], rows[1]);
    // Each step is two instructions for a pair of registers.
    if (plan.target->isAArch64()) {
      llvm::SmallVector<mlir::Value, 4> even, odd;
      for (size_t row = 0; row < rows.size(); ++row)
        (row % 2 ? odd : even).push_back(rows[row]);
      return mlir::vector::InterleaveOp::create(loops.builder, loops.loc, interleave(even), interleave(odd));
    }
    return transposeQuads(join(join(rows[0], rows[1]), join(rows[2], rows[3])));
  }

  mlir::Value join(mlir::Value a, mlir::Value b) {
    int64_t count = 2 * llvm::cast<mlir::VectorType>(a.getType()).getNumElements();
    return mlir::vector::ShuffleOp::create(loops.builder, loops.loc, a, b, llvm::to_vector(llvm::seq<int64_t>(count)));
  }

  /// Turns four consecutive rows of bytes into groups of four bytes, one from each row. Words first move to the 128-bit
  /// lane to which they belong, so that two instructions are enough.
  mlir::Value transposeQuads(mlir::Value rows) {
    int64_t words = llvm::cast<mlir::VectorType>(rows.getType()).getNumElements() / 4, rowWords = words / 4;
    llvm::SmallVector<int64_t> wordOrder, byteOrder;
    for (int64_t lane = 0; lane < rowWords; ++lane)
      for (int64_t row = 0; row < 4; ++row)
        wordOrder.push_back(row * rowWords + lane);
    for (int64_t lane = 0; lane < rowWords; ++lane)
      for (int64_t byte = 0; byte < 16; ++byte)
        byteOrder.push_back(lane * 16 + byte % 4 * 4 + byte / 4);
    mlir::Value asWords = loops.bitcast(rows, loops.vectorOf(words, loops.builder.getI32Type()));
    asWords = mlir::vector::ShuffleOp::create(loops.builder, loops.loc, asWords, asWords, wordOrder);
    mlir::Value bytes = loops.bitcast(asWords, rows.getType());
    return mlir::vector::ShuffleOp::create(loops.builder, loops.loc, bytes, bytes, byteOrder);
  }

  void copyElement(DotMatrix b, mlir::Value k, mlir::Value column, mlir::Value buffer, int64_t group) {
    mlir::Type stored = storageType(plan.shape.bType);
    mlir::Value source = loops.add(loops.multiply(k, b.rowStride), loops.multiply(column, b.columnStride));
    mlir::Value value = convert(loops.load(stored, loops.address(b.base, stored, source)), plan.shape.bType, false);
    mlir::Value size = loops.index(group);
    mlir::Value row = arith::DivUIOp::create(loops.builder, loops.loc, k, size);
    mlir::Value within = arith::RemUIOp::create(loops.builder, loops.loc, k, size);
    mlir::Value target = loops.multiply(packedOffset(row, column), group);
    loops.store(value, loops.address(buffer, type, loops.add(target, within)));
  }

  /// A transposed B, which has n rows of K elements, already contains the groups. They are transposed as units, in
  /// square blocks in registers.
  void transpose(DotMatrix b, mlir::Value buffer, int64_t group) {
    int64_t n = plan.shape.n, groups = plan.shape.k / group;
    mlir::Type stored = storageType(plan.shape.bType);
    mlir::Type whole = loops.builder.getIntegerType(type.getIntOrFloatBitWidth() * group);
    int64_t block = std::min({n, groups, int64_t(plan.target->lanes(whole.getIntOrFloatBitWidth())), int64_t(16)});
    mlir::Type loaded = loops.vectorOf(block * group, stored), row = loops.vectorOf(block, whole);
    loops.loop(n, block, [&](mlir::Value column) {
      mlir::Value source = loops.address(b.base, stored, loops.multiply(column, b.columnStride));
      loops.loop(groups, block, [&](mlir::Value k) {
        llvm::SmallVector<mlir::Value, 16> rows;
        mlir::Value first = loops.address(source, stored, loops.multiply(k, group));
        for (int64_t i = 0; i < block; ++i) {
          mlir::Value value = loops.load(loaded, loops.address(first, stored, i * b.columnStride));
          rows.push_back(loops.bitcast(convert(value, plan.shape.bType, /*isA=*/false), row));
        }
        transposeBlock(rows);
        mlir::Value out = loops.address(buffer, whole, packedOffset(k, column));
        for (int64_t i = 0; i < block; ++i)
          loops.store(rows[i], loops.address(out, whole, i * plan.panelColumns));
      });
    });
  }

  /// Exchanges halves, then quarters, ... between pairs of rows.
  void transposeBlock(llvm::MutableArrayRef<mlir::Value> rows) {
    int64_t count = rows.size();
    for (int64_t distance = count / 2; distance > 0; distance /= 2) {
      llvm::SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < count; ++lane) {
        bool upper = lane & distance;
        low.push_back(upper ? count + lane - distance : lane);
        high.push_back(upper ? count + lane : lane + distance);
      }
      for (int64_t i = 0; i < count; ++i) {
        if (i & distance)
          continue;
        mlir::Value a = rows[i], b = rows[i + distance];
        rows[i] = mlir::vector::ShuffleOp::create(loops.builder, loops.loc, a, b, low);
        rows[i + distance] = mlir::vector::ShuffleOp::create(loops.builder, loops.loc, a, b, high);
      }
    }
  }

  const DotPlan &plan;
  DotLoops loops;
  mlir::Type type;
};

} // namespace

/// Two registers of 16-bit elements are interleaved at once where there are as many columns. AArch64 interleaves whole
/// registers.
int64_t packedColumns(const DotPlan &plan) {
  int64_t group = groupSize(plan), wide = 2 * plan.lanes;
  if (group == 1)
    return plan.lanes;
  if (plan.target->isAArch64())
    return std::min<int64_t>(plan.shape.n, 128 / plan.shape.bType.getIntOrFloatBitWidth());
  return group == 2 && plan.shape.n % wide == 0 ? wide : int64_t(plan.lanes);
}

void emitPackedColumns(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::ValueRange rows,
                       mlir::Value k, mlir::Value column, mlir::Value buffer) {
  PackingEmitter(builder, loc, plan).storeInterleaved(rows, k, column, buffer);
}

/// Outer products read A as they read B: as rows of K.
static DotMatrix packColumnsOfA(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, DotMatrix a,
                                mlir::Value buffer) {
  DotPlan mirrored = plan;
  std::swap(mirrored.shape.m, mirrored.shape.n);
  std::swap(mirrored.shape.aType, mirrored.shape.bType);
  std::swap(mirrored.packsA, mirrored.packsB);
  mirrored.panelColumns = mirrored.shape.n;
  mirrored.lanes =
      std::min<int64_t>(plan.target->dotLanes(plan.shape.accumulatorType.getIntOrFloatBitWidth()), mirrored.shape.n);
  return PackingEmitter(builder, loc, mirrored).packB({a.base, a.columnStride, a.rowStride}, buffer);
}

PackedOperands emitPacking(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, DotMatrix a, DotMatrix b,
                           const DotMemory &memory) {
  DotLoops loops(builder, loc);
  PackingEmitter packing(builder, loc, plan);
  mlir::Type byte = builder.getI8Type();
  mlir::Value bufferB = loops.address(memory.scratch, byte, plan.packedABytes);
  PackedOperands packed;
  packed.a = plan.method == DotMethod::OuterProducts ? packColumnsOfA(builder, loc, plan, a, memory.scratch)
                                                     : packing.packA(a, memory.scratch);
  packed.b = packing.packB(b, memory.packedB ? memory.packedB : bufferB);
  packed.panelStride = plan.panelColumns < plan.shape.n && packed.b.base != b.base ? plan.shape.k : groupSize(plan);
  if (plan.biasesA) {
    packed.columnSums = loops.address(bufferB, byte, plan.packedBBytes);
    packing.sumColumns(packed.b.base, packed.columnSums);
  }
  return packed;
}

} // namespace triton::cpu
