"""Documents and questions for the collage, from Federal Register XML, a user's folder, or the synthetic register."""
