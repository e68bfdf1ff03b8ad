"""What the learners on the core have in common."""
