"""f = h + psi: what a problem is, and one file for each ready one."""
