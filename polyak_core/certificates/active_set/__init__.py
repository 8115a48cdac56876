"""x* of LASSO and of the SVM: a quadratic function plus straight pieces, solved to the last digit."""
