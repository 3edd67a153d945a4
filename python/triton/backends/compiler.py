"""What a backend of the compiler is to Python: the target it compiles for and the options it takes."""

import abc
import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class GPUTarget:
    """What is compiled for: ``("cpu", "x86_64", 0)``, ``("cuda", 90, 32)``."""

    backend: str
    arch: "int | str"
    warp_size: int


class Language(enum.Enum):
    """The languages that kernels are written in."""

    TRITON = 0
    GLUON = 1


class BaseBackend(abc.ABC):
    """A backend: its options and its artifacts."""

    supports_native_tensor_specialization = True

    def __init__(self, target):
        if not self.supports_target(target):
            raise RuntimeError(f"the backend `{type(self).__name__}` does not compile for {target}")
        self.target = target

    @staticmethod
    @abc.abstractmethod
    def supports_target(target):
        """Whether this backend compiles for the target."""

    @abc.abstractmethod
    def hash(self):
        """What besides source and options decides the code."""

    @abc.abstractmethod
    def parse_options(self, options):
        """The options object for a dict of options; KeyError for one that no backend knows."""

    @staticmethod
    def parse_attr(desc):
        """The attributes that a specialization key stands for."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs):
        return "D" if arg % 16 == 0 and kwargs.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        return "D" if arg.data_ptr() % 16 == 0 and kwargs.get("align", False) else ""
