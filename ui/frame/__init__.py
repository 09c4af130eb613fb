"""The frame round every page: toolbar, one visitor's state, the link, charts, the files that are served.

It imports no feature. What a room keeps of a visitor it declares as ``Kept``, or as ``LinkPart`` if it
belongs in the address; the list of all parts stands in ``pages/links.py`` and is handed down. A part that
depends on another hears when that one is set: the request on the stage leaves with its scenario.
"""
