"""What protocols report beside their accuracies."""
