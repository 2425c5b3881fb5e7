"""What follows an acceptance: putting it on its target, looking at it again, going back."""
