"""One program of a kernel under a debugger, forwards and backwards, by the Debug Adapter Protocol (docs/debugger.md):

python -m triton.debug [--port PORT]
"""
