"""The pages: one about any runs, one about a study."""
