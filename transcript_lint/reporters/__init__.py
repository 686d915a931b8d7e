"""One module an output format; each is given a finished report and filters nothing."""
