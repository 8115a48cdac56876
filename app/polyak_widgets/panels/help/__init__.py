"""What each symbol and each method of the page means, and what the page is for."""
