"""`python -m harness.simulator`."""

from harness.simulator.process import main

if __name__ == "__main__":
    main()
