// Every operation and attribute of the dialect tt, by kind.
include "ir/FunctionOps.td"
include "ir/ElementwiseOps.td"
include "ir/MemoryOps.td"
include "ir/ShapeOps.td"
include "ir/ComputeOps.td"
include "ir/DescriptorOps.td"
include "ir/TritonAttrs.td"
