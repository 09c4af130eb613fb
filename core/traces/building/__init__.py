"""Requests gathered one by one become a trace in order."""
