"""Other libraries, both directions, imported only when used."""
