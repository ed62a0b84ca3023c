"""Documents and questions for the collage: Federal Register XML, a user's folder, the synthetic issue."""
