"""What a budget is held to: its approval, the policy of a gate, the age of its prices."""
