"""What holds for all tests."""

import signal

# A shell that runs the tests in the background lets them, and all they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
