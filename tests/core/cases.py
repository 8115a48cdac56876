"""What tests of the core are run over, by name: `from cases import every_method` (see pyproject.toml)."""

import pytest

import polyak_core as pc
from polyak_core.arrays import EXTENDED_EPS

WITH_A_RULE = ("adapt_apg", "adapt_apg_v2")
WITHOUT_MU = [name for name in pc.METHODS if name != "apg"]

every_method = pytest.mark.parametrize("method", pc.METHODS)
every_method_with_a_rule = pytest.mark.parametrize("method", WITH_A_RULE)
"""The methods that take `estimator`."""
every_method_without_mu = pytest.mark.parametrize("method", WITHOUT_MU)
"""The methods for problems with mu = 0."""
wide = pytest.mark.skipif(
    EXTENDED_EPS > 1e-18, reason="longdouble is no wider than double here, so bounds are weaker"
)
"""A bound that only a processor with a wide longdouble keeps."""
