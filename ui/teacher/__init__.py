"""For the teacher: scripts, links, sequences of one's own, a class on its laptops."""
