"""A backend as another package has it. It compiles TTIR to Python, and its device runs that on NumPy arrays."""
