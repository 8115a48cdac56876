"""The data sets are the published numbers, and scaling does what it says."""

import hashlib
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.sparse import csr_array

from polyak_core.data.datasets import load_dataset, scale_features

# The hashes of UCI's file, written down here a second time so that a wrong rebuild cannot hide.
SONAR_X = "0d6ab10c8d741bdda9f7525380780a205260255ac763c9e103fe0da3e41deec8"
SONAR_Y = "87c8606ddf7deaec744fef6b7261927f7478ffc3e6a3292606c5fa9ba141c370"
MUSK_X = "95e7b38177932feaf39bb8e0d95f7e9b899532f0b1d12b65d90c540e1fbc7d6b"
MUSK_Y = "55cd457111211cbded89575f2311ebd2d39977d5a5040f2404325f73f2affe34"


def sha256(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array, "<f8").tobytes()).hexdigest()


def test_sonar_is_uci_s():
    sonar = load_dataset("sonar", scaling="none")
    assert (sha256(sonar.X), sha256(sonar.y)) == (SONAR_X, SONAR_Y)
    assert sonar.X.shape == (208, 60)
    assert [np.count_nonzero(sonar.y == label) for label in (1, -1)] == [111, 97]
    assert "10.24432/C5T01Q" in sonar.source
    assert sonar.licence == "CC BY 4.0"


def test_musk_is_uci_s():
    musk = load_dataset("musk", scaling="none")
    assert (sha256(musk.X), sha256(musk.y)) == (MUSK_X, MUSK_Y)
    assert (musk.X.shape, musk.X.dtype, musk.y.dtype) == ((476, 166), np.float64, np.float64)
    assert [np.count_nonzero(musk.y == label) for label in (1, -1)] == [207, 269]
    assert "10.24432/C5ZK5B" in musk.source
    assert musk.licence == "CC BY 4.0"
    np.testing.assert_allclose(load_dataset("musk").X.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("scaling", ["none", "center", "standardize"])
def test_arrays_have_the_promised_form(scaling):
    sonar = load_dataset("sonar", scaling=scaling)
    for array in (sonar.X, sonar.y):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert sha256(sonar.y) == SONAR_Y


def test_the_default_takes_the_means_off_and_no_more():
    raw, sonar = load_dataset("sonar", scaling="none"), load_dataset("sonar")
    np.testing.assert_allclose(sonar.X.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(sonar.X.std(axis=0), raw.X.std(axis=0), rtol=1e-13)


def test_standardize_makes_means_zero_and_deviations_one():
    X = load_dataset("sonar", scaling="standardize").X
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(X.std(axis=0), 1, rtol=1e-13)


@pytest.mark.parametrize("scaling", ["center", "standardize"])
def test_a_constant_column_becomes_zero(scaling):
    # The mean of ten times 0.1 is not 0.1: dividing by that deviation would give columns of noise.
    X = np.column_stack([np.full(10, 0.1), np.arange(10.0)])
    assert X.std(axis=0)[0] > 0
    scaled = scale_features(X, scaling)
    np.testing.assert_array_equal(scaled[:, 0], 0)
    assert np.ptp(scaled[:, 1]) > 1


def test_the_argument_stays_as_it_is():
    X = np.arange(6.0).reshape(3, 2)
    for scaling in ("none", "center", "standardize"):
        scale_features(X, scaling)[:] = -1
    np.testing.assert_array_equal(X, np.arange(6.0).reshape(3, 2))


def test_two_loads_share_nothing():
    first = load_dataset("sonar", scaling="none")
    first.X[:], first.y[:] = 0, 0
    second = load_dataset("sonar", scaling="none")
    assert (sha256(second.X), sha256(second.y)) == (SONAR_X, SONAR_Y)


def test_a_data_set_is_frozen():
    with pytest.raises(FrozenInstanceError):
        load_dataset("sonar").X = np.zeros((1, 1))


@pytest.mark.parametrize("name", ["sonnar", "", 3, None])
def test_an_unknown_name_is_answered_in_words(name):
    with pytest.raises(ValueError, match=r"name is .*, but the data sets are 'sonar'.*: give one of"):
        load_dataset(name)


@pytest.mark.parametrize("scaling", ["centre", "", None])
def test_an_unknown_scaling_is_answered_in_words(scaling):
    with pytest.raises(ValueError, match=r"scaling is .*'none', 'center', 'standardize': give one of"):
        load_dataset("sonar", scaling=scaling)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, 2.0], [3.0]], "rows? of equal length|row of equal length"),
        ([["a", "b"]], "real numbers"),
        ([[1j, 2]], "real numbers"),
        (csr_array([[1.0, np.nan]]), "first in row 1, column 2"),
        (csr_array((0, 3)), "must be"),
        ([1.0, 2.0], "must be"),
        (np.zeros((0, 3)), "must be"),
        ([[1, np.nan]], "finite"),
        ([[np.inf]], "finite"),
    ],
)
def test_bad_features_are_answered_in_words(X, words):
    with pytest.raises(ValueError, match=words):
        scale_features(X, "center")
