"""A prefix cache on one page, to be read line by line; five that look right and are not."""
