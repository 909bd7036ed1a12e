"""``python -m adapters.sandbox``."""

import sys

from adapters.sandbox.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
