"""Chapter 7: for which kinds of use."""
