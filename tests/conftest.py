"""Settings of the whole suite: property tests are not judged by the clock of a busy machine."""

from hypothesis import settings

settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
