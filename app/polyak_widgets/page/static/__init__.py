"""The page without a server: a folder of files, in which a session runs in the reader's own browser."""
