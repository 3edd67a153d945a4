"""What Triton's package has under this name."""
