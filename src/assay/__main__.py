"""`python -m assay`: the program, where its folder is not on the PATH."""

from __future__ import annotations

from assay.cli import main

if __name__ == "__main__":
    main()
