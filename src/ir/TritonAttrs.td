// Attributes of the dialect tt.
#ifndef TRITON_IR_ATTRS_TD
#define TRITON_IR_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "ir/TritonDialect.td"
include "ir/TritonEnums.td"

def TT_CachePolicyAttr : AttrDef<Triton_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "what an access says to caches, as Triton 3.9 writes it";
  let description = [{
    `cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_last>` of a load or store is read as
    `cacheModifier = ca evictionPolicy = evict_last`, and printed so.
  }];
  let parameters = (ins EnumParameter<TT_CacheModifierAttr>:$cache_modifier,
                        EnumParameter<TT_EvictionPolicyAttr>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
