"""What the results say: numbers in, numbers out."""
