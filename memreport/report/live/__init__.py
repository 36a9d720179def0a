"""What follows the inputs where they may be changed: which inputs, the verdict in a sentence, times and costs."""
