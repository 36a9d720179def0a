"""The page for the browser: recorded figures as JavaScript, the catalogue as data, in one file without a network."""
