"""How records come out of files, whatever they are packed in."""
