"""Makes ``python -m shrubs`` the command line."""

from shrubs.cli import main

if __name__ == "__main__":
    main()
