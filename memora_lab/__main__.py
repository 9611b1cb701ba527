"""`python -m memora_lab` and `memora`: the terminal program."""

import sys

from memora_lab.program.terminal import main

if __name__ == "__main__":
    sys.exit(main())
