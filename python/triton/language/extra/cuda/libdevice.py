"""The device library, under the name of one kind of target."""

from ..libdevice import *  # noqa: F403
