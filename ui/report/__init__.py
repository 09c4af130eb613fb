"""The same from the shell: `python -m ui.report LOG` writes one offline HTML file, or JSON."""
