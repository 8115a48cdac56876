"""x* and f* of each loss, with a proven bound, or with an estimate that is named as such."""
