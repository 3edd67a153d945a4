"""Writes random programs of the whole language, computes by NumPy what they must store, and runs them on targets.

    PYTHONPATH=build/python python -m fuzzing --target cpu,sim:cuda:90 --seconds 60 --jobs 2 --seed 0

`__main__.py` has the options. A program is made by `Program` of program.py from steps, which the files about kinds of
statements offer: each step adds statements and says, for each value that they define, what it is in NumPy.
"""
