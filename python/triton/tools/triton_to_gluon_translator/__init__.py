"""Kernels of ``triton.language`` as kernels in Gluon, and files of kernels alone.

`translator` writes kernels anew, `slice_kernel` copies them with everything that they use, and `helpers` has the
functions that the new ones call.
"""
