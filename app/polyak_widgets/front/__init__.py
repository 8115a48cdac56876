"""The front end: JS and CSS in ground, rail, charts and page, and their two loaders."""
