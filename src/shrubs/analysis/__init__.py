"""What the results say: records in, findings out."""
