"""A scenario made of a model and a GPU, as an answer in a few lines and as a file of the user's."""
