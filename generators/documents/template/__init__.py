"""The Word template: package parts made once by python-docx, shipped as data.

`make` builds the parts; `python -m generators.documents.template` writes them again. A test holds
the shipped parts and a fresh build together.
"""
