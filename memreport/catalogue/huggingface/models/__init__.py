"""Model types of Hugging Face by kind of layer: which key becomes which field, and what the modelling code adds."""
