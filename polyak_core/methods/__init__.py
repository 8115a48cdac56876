"""The algorithms as the paper prints them, the rules for mu_k, and the table of all methods."""
