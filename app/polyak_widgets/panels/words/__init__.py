"""What a picture says in words and numbers: who is ahead, what is unusual, how each run ended."""
