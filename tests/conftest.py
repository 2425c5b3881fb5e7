"""Settings of the whole suite: property tests are not judged by the clock, and Ctrl-C reaches what tests start.

A shell starts what it puts into the background with SIGINT ignored, and every child inherits that.
"""

import signal

from hypothesis import settings

settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
