"""Walks over nested tuples and lists, whose places are paths of indices such as (1, 0)."""

import functools


def get_iterable_path(iterable, path):
    """The item at ``path``."""
    return functools.reduce(lambda item, index: item[index], path, iterable)


def set_iterable_path(iterable, path, value):
    """Replaces the item at ``path``, whose container must be a list."""
    get_iterable_path(iterable, path[:-1])[path[-1]] = value


def find_paths_if(iterable, predicate):
    """The paths of the items that are no tuple or list and for which ``predicate(path, item)`` is true."""

    def search(path, item):
        if isinstance(item, (tuple, list)):
            for index, inner in enumerate(item):
                yield from search((*path, index), inner)
        elif predicate(path, item):
            yield path

    return list(search((), iterable))
