"""The page served by Voila: safe settings, shared files, and how a visitor is answered."""
