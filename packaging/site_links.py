"""For MkDocs: links to files outside of docs/ become their paths, since the site holds the documents alone."""

import logging
import re
from pathlib import Path

LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)([^)#]*)(#[^)]*)?\)")
log = logging.getLogger("mkdocs.hooks.site_links")


def on_page_markdown(markdown, page, config, **_):
    documents = Path(config["docs_dir"])
    folder = (documents / page.file.src_uri).parent

    def replace(match):
        target = (folder / match[2] / match[3]).resolve()
        if target.is_relative_to(documents):
            return match[0]
        if not target.exists():
            log.warning("%s: the link to `%s` leads nowhere", page.file.src_uri, match[2] + match[3])
        path = str(target.relative_to(documents.parent))
        return match[1] if match[1].strip("`") == path else f"{match[1]} (`{path}`)"

    return LINK.sub(replace, markdown)
