"""Tables: the results of any runs, and those of a study beside the paper's."""
