"""What can be chosen, how it is judged, and the presets."""
