"""What pays and what does not, as numbers over one setting; two cards on one pool."""
