"""What flows where in a program: labels on every element of every value, on every device."""
