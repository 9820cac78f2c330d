"""The documents as a site, by Sphinx: the target `site`."""

import re

project = "Espalier"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_title = "Espalier"
html_theme_options = {"page_width": "1180px", "body_max_width": "none"}
html_copy_source = False
html_show_sourcelink = False


def name_sources(_app, _page, source):
    """Links that leave docs/ name what is in the sources, which the site has not."""
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./([^)#]+)[^)]*\)", named, source[0])


def named(link):
    text, path = link[1], link[2]
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def setup(app):
    app.connect("source-read", name_sources)
