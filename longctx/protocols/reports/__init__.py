"""What protocols report besides their accuracies."""
