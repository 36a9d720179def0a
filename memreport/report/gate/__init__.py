"""Whether changes keep the rules of a policy: each rule on each scenario, then waivers."""
