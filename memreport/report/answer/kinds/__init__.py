"""One kind of question a module: how it is answered in a sentence."""
