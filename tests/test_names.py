"""The distribution's name and its three import names clash with nothing that it installs."""

from importlib.metadata import packages_distributions


def test_no_other_distribution_provides_our_import_names() -> None:
    providers = packages_distributions()
    for name in ("committee", "harness", "ledger"):
        assert set(providers[name]) == {"committee"}
