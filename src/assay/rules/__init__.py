"""The output rules: one file that gives the instructions for the writer and the checks of the answer."""
