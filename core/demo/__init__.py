"""A prefix cache on one page; sisters that look right and are not; a judge of caches that visitors write."""
