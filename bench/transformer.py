"""The transformer that the measurements and tests of torch.compile train and run."""

import torch
import torch.nn.functional as F


def attention_by_products(q, k, v):
    """Causal attention written out, so that a compiler has its products, masks and sums to deal with."""
    length = q.shape[-2]
    hidden = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    scores = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ v


def attention_of_pytorch(q, k, v):
    """Causal attention as one operator, for which PyTorch has kernels of its own."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Block(torch.nn.Module):
    def __init__(self, width, heads, attend=attention_by_products):
        super().__init__()
        self.heads, self.attend = heads, attend
        self.before, self.between = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attention, self.projection = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.wide, self.narrow = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.attention(self.before(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = self.attend(*parts.unbind(0))
        x = x + self.projection(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.wide(self.between(x))))


class Transformer(torch.nn.Module):
    def __init__(self, layers, width, heads, words, attend=attention_by_products):
        super().__init__()
        self.words = torch.nn.Embedding(words, width)
        self.blocks = torch.nn.ModuleList(Block(width, heads, attend) for _ in range(layers))
        self.last = torch.nn.LayerNorm(width)
        self.out = torch.nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.words(tokens)
        for block in self.blocks:
            x = block(x)
        return self.out(self.last(x))
