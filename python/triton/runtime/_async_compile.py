"""Compiling on an executor: threads, processes, or a cluster."""

from contextvars import ContextVar

#: The mode of the innermost `with` block of this context.
active_mode = ContextVar("async_compile_active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled. Its attributes are those of the compiled kernel: reading one waits for it.

    ``finalize_compile(kernel)`` is called once, with what the executor returned. What it returns, unless None, is the
    kernel. ``cleanup_compile(self)`` is called when the compilation fails.
    """

    def __init__(self, finalize_compile, cleanup_compile, future):
        self.finalize_compile, self.cleanup_compile = finalize_compile, cleanup_compile
        self.kernel = None
        self.future = future

    def result(self, ignore_errors=False):
        """The compiled kernel. With ``ignore_errors`` None when it cannot be compiled."""
        if self.kernel is None:
            try:
                compiled = self.future.result()
                finalized = self.finalize_compile(compiled)
            except Exception:
                self.cleanup_compile(self)
                if ignore_errors:
                    return None
                raise
            self.kernel = compiled if finalized is None else finalized
        return self.kernel

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(self.result(), name)

    def __getitem__(self, grid):
        return self.result()[grid]


class AsyncCompileMode:
    """Within ``with AsyncCompileMode(executor):``, ``kernel.warmup`` returns a `FutureKernel` at once and compiles on
    the executor, any object with the interface of ``concurrent.futures.Executor``. A launch waits for its own kernel.

    At the end of the block all kernels are compiled. The first that cannot be raises its error there, unless
    ``ignore_errors``: then the error is raised where the kernel is launched.
    """

    def __init__(self, executor, *, ignore_errors=False):
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(f"the executor is {executor!r}; it must have `submit`, as concurrent.futures.Executor has")
        self.executor, self.ignore_errors = executor, ignore_errors
        self.raw_futures = []
        self.future_kernels = {}

    def submit(self, key, compile_fn, finalize_fn, cleanup_fn):
        """The FutureKernel of ``key``; ``compile_fn`` is submitted unless that was done before."""
        known = self.future_kernels.get(key)
        if known is not None:
            return known
        future = self.executor.submit(compile_fn)
        future._key = key
        self.raw_futures.append(future)
        kernel = FutureKernel(finalize_fn, cleanup_fn, future)
        self.future_kernels[key] = kernel
        return kernel

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("an AsyncCompileMode is active already; they do not nest")
        active_mode.set(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        from concurrent.futures import as_completed

        active_mode.set(None)
        if exc_type is not None:
            for future in self.raw_futures:
                future.cancel()
        else:
            for future in as_completed(self.raw_futures):
                self.future_kernels[future._key].result(self.ignore_errors)
        self.raw_futures, self.future_kernels = [], {}
