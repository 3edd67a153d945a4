"""What each function of the language does in interpreted kernels."""

IMPLEMENTATIONS = {}


def implements(function):
    """Registers ``function`` for the function of the language that has its name, less a trailing underscore."""
    IMPLEMENTATIONS[function.__name__.rstrip("_")] = function
    return function
