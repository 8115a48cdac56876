"""The panel that the reader chooses: sensitivity, momentum, directions, path, six estimates, band."""
