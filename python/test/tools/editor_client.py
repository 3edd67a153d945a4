"""An editor as the language server's tests have it: the client of pygls, and a kernel to edit."""

import asyncio
import sys
from pathlib import Path

from lsprotocol import types
from programs import PATIENCE
from pygls.lsp.client import LanguageClient

TRITONC = Path(sys.executable).with_name("tritonc")

HEADER = "import triton\nimport triton.language as tl\n\n"
ADD = (
    HEADER
    + """
@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x + 1.0, mask=mask)
"""
)


class Editor:
    """A client and the latest diagnostics of each document."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("editor", "1")
        self.published = {}
        self.messages = []
        self.versions = {}
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.on_publish(params))
        self.client.feature(types.WINDOW_LOG_MESSAGE)(lambda params: self.messages.append(params.message))
        self.run(self.client.start_io(str(TRITONC), "lsp"))
        capabilities = types.ClientCapabilities()
        self.server = self.run(self.client.initialize_async(types.InitializeParams(capabilities=capabilities)))
        self.client.initialized(types.InitializedParams())

    def on_publish(self, params):
        self.published[params.uri] = (params.version, list(params.diagnostics))

    def run(self, awaitable):
        return self.loop.run_until_complete(asyncio.wait_for(awaitable, PATIENCE))

    def open(self, path, text):
        uri = Path(path).as_uri()
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri, *changes):
        """Each is a new text, or a range and the text that replaces it."""
        self.versions[uri] += 1
        events = []
        for change in changes:
            if isinstance(change, str):
                events.append(types.TextDocumentContentChangeWholeDocument(change))
            else:
                (line, column), (end_line, end_column), text = change
                span = types.Range(types.Position(line, column), types.Position(end_line, end_column))
                events.append(types.TextDocumentContentChangePartial(range=span, text=text))
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, events))

    def close(self, uri):
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def diagnostics(self, uri, are_expected=lambda diagnostics: True):
        """Those of the latest version.

        New settings are not an edit. They change those of a version, and `are_expected` waits for the change.
        """

        async def wait():
            while True:
                version, diagnostics = self.published.get(uri, (None, []))
                if version == self.versions[uri] and are_expected(diagnostics):
                    return diagnostics
                await asyncio.sleep(0.01)

        return self.run(wait())

    def ask(self, method, uri, line, column, **more):
        names = {"rename": types.RenameParams, "completion": types.CompletionParams, "hover": types.HoverParams}
        names |= {"definition": types.DefinitionParams, "signature_help": types.SignatureHelpParams}
        names |= {"prepare_rename": types.PrepareRenameParams, "references": types.ReferenceParams}
        document, position = types.TextDocumentIdentifier(uri), types.Position(line, column)
        params = names[method](text_document=document, position=position, **more)
        return self.run(getattr(self.client, f"text_document_{method}_async")(params))

    def hints(self, uri, lines=10**6):
        span = types.Range(types.Position(0, 0), types.Position(lines, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(uri), span)
        return list(self.run(self.client.text_document_inlay_hint_async(params)))

    def end(self):
        self.run(self.client.shutdown_async(None))
        self.client.exit(None)
        self.run(self.client._server.wait())
        self.run(self.client.stop())
        self.loop.close()
        return self.client._server.returncode
