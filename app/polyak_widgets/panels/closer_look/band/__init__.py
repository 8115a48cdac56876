"""Twenty runs of each method that differ in one thing, as a band with its median."""
