"""How a compiled kernel shows itself in a notebook: HTML without scripts, which fetches nothing."""

from html import escape

#: What of a kernel's metadata is shown, where it is known: (field, title, what follows the number).
_FACTS = (
    ("num_warps", "warps", ""),
    ("num_stages", "stages", ""),
    ("num_ctas", "blocks of a cluster", ""),
    ("shared", "shared memory", " bytes"),
    ("n_regs", "registers of a thread", ""),
    ("n_spills", "spilled by a thread", " bytes"),
)
_CELL = 'style="text-align: left; vertical-align: top"'
_TEXT = 'style="max-height: 30em; overflow: auto; text-align: left"'


def _facts(kernel):
    target = kernel.metadata.target
    is_gpu = target.backend != "cpu"
    yield "target", f"{target.backend}:{target.arch}" if target.arch else target.backend
    for field, title, unit in _FACTS if is_gpu else ():
        value = getattr(kernel.metadata, field, None)
        if value is not None and not (field == "num_ctas" and value == 1):
            yield title, f"{value}{unit}"


def kernel_html(kernel):
    """A table of facts, and each stage that is a text, folded. The kernel is not loaded, and no tool is run."""
    rows = "".join(
        f"<tr><th {_CELL}>{escape(title)}</th><td {_CELL}>{escape(str(value))}</td></tr>"
        for title, value in _facts(kernel)
    )
    stages = ""
    for stage in kernel.asm:
        artifact = kernel.asm[stage]
        if isinstance(artifact, str):
            summary = f"{escape(stage)}, {artifact.count(chr(10))} lines"
            stages += f"<details><summary>{summary}</summary><pre {_TEXT}>{escape(artifact)}</pre></details>"
        else:
            stages += f"<div>{escape(stage)}, {len(artifact)} bytes</div>"
    return f"<div><strong>{escape(kernel.name)}</strong><table>{rows}</table>{stages}</div>"
