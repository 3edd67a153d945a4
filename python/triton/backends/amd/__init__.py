"""The backend for AMD GPUs, and for their simulator."""
