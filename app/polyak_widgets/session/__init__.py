"""What one reader's page asks for and gets."""
