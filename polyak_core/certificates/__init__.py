"""x* and f* of each loss, with a bound that is proven or an estimate that is called one."""
