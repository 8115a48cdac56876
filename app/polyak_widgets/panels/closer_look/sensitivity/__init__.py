"""What a parameter costs where it is chosen badly: many runs of one method, from settings to words."""
