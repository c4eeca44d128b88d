"""What panels show, computed from facts without Qt."""
