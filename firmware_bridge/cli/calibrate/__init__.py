"""`shoe calibrate`: one module for each thing that is calibrated, with a coroutine `work(bench) -> outcome`."""
