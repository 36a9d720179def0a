"""The figures of a budget.  Each is one function; its parameters are the names of what it is made of."""
