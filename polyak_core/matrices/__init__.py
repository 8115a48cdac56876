"""The matrix A of a problem, dense, sparse or centred: products, factors, bounds, exact arithmetic."""
