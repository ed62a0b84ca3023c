"""Statistics of rates and of paired trials. Pure: numbers in, numbers out."""
