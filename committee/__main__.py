"""`python -m committee`: the same as the `committee` command."""

from committee.cli import main

main()
