"""The frame round every page: toolbar, one visitor's state, the link, charts, the files that are served."""
