"""How points are carried, so that gaps are exact and steps cheap."""
