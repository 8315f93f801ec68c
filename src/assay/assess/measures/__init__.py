"""One file a criterion: what rules can say of it, with the formula. Pure; estimates, not fitted to any label."""
