"""The paper's figures and tables, and what they were found to say."""
