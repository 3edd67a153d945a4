"""What the profiler is doing."""

#: Whether there is a session.
profiling_on = False
#: Whether a session records inside of kernels.
instrumentation_on = False
#: Whether the program runs under the command `proton`, which has started a session itself.
command_line = False
