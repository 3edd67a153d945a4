"""Profiles of programs with kernels: which part of the program launched what, and how long it took (docs/profiler.md).

``start`` begins a session, ``scope`` names a part of the program, ``finalize`` writes the profile.
"""

from . import context, data, language, mode, specs
from .profile import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start
from .scope import cpu_timed_scope, enter_scope, exit_scope, scope
from .state import enter_state, exit_state, metadata_state, state

__all__ = [
    "DEFAULT_PROFILE_NAME",
    "activate",
    "context",
    "cpu_timed_scope",
    "data",
    "deactivate",
    "enter_scope",
    "enter_state",
    "exit_scope",
    "exit_state",
    "finalize",
    "language",
    "metadata_state",
    "mode",
    "profile",
    "scope",
    "specs",
    "start",
    "state",
]
