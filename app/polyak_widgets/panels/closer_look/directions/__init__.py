"""The error split by eigenvectors: what is left in each direction, and the path in a plane of two."""
