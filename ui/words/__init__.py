"""Every sentence in both languages, numbers and tables as people read them, colours."""
