"""What autograd keeps of a layer for the backward pass, module by module."""
