"""How much work a search may take: operations counted beforehand, never a clock.

A budget that depends on sizes alone gives the same result whenever the same call is made.
"""

from __future__ import annotations

SEARCH = 1e10
"""Most work of one part of a search: 10 seconds, since prices are nanoseconds of an ordinary core."""
START = 5e9
"""Most work of a start by a first-order method."""
FACTORED = 0.05
"""Price of a multiplication in products and decompositions of dense matrices."""
DENSE, SPARSE = 0.7, 2.5
"""Price of an entry in a product with a vector."""
EXTENDED_DENSE, EXTENDED_SPARSE = 5.0, 6.0
"""Price of an entry in such a product in extended precision, with the bound on its rounding."""
VECTOR = 20.0
"""Price of a coordinate in what a step does beside its products."""
LARGEST_FACTORED = 3000
"""Dense matrices of this size, and a few copies of them, fit into memory."""
