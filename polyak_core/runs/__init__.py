"""From a method to its trace: the driver, the record, why a run ended; many rows at once, and sweeps."""
