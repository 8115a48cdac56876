"""`python -m polyak_widgets` is the command `polyak-explorer`."""

from polyak_widgets.serving.command import main

if __name__ == "__main__":
    main()
