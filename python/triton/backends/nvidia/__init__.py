"""The backend for NVIDIA GPUs, and for their simulator."""
