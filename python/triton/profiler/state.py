"""States: a tag below the present scope, under which launches and metrics are recorded."""

import functools

from .. import _C
from . import flags

#: The tag of what runs while the metadata of a launch are computed. Viewers hide it.
METADATA_NAME = "__proton_launch_metadata"


def enter_state(name):
    if flags.profiling_on:
        _C.profiler.enter_state(name)


def exit_state():
    if flags.profiling_on:
        _C.profiler.exit_state()


class state:
    """``with state("name"):``, or ``@state("name")`` before a function."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        enter_state(self.name)
        return self

    def __exit__(self, *exception):
        exit_state()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with type(self)(self.name):
                return function(*args, **kwargs)

        return wrapper


class metadata_state(state):
    """The state in which the metadata of a launch are computed."""

    def __init__(self, kernel_name=None):
        super().__init__(METADATA_NAME if kernel_name is None else f"{METADATA_NAME}:{kernel_name}")
