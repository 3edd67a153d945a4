// Runs the extension for Visual Studio Code in an editor of a few lines, which has what the extension uses, and prints
// what the extension gave it as JSON.   node vscode_stub.js FOLDER-OF-EXTENSION TRITONC FILE LINE CHARACTER
const fs = require("fs");
const Module = require("module");
const [folder, tritonc, file, atLine, atCharacter] = process.argv.slice(2);

const record = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, index) => {
        this[name] = values[index];
      });
    }
  };
const Position = record("line", "character");
const Range = record("start", "end");
const Diagnostic = record("range", "message", "severity");
const Location = record("uri", "range");
class Uri {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
  static parse(text) {
    return new Uri(text);
  }
}
class WorkspaceEdit {
  edits = [];
  replace(uri, range, text) {
    this.edits.push({ uri: String(uri), range, text });
  }
}

const providers = {},
  shown = {},
  problems = [],
  listeners = {};
const nothing = { dispose() {} };
const languages = new Proxy(
  {
    match: (selector, document) => (document.languageId === selector.language ? 10 : 0),
    createDiagnosticCollection: () => ({
      set: (uri, list) => {
        shown[uri] = list;
      },
      clear() {},
      dispose() {},
    }),
  },
  {
    get: (own, name) =>
      own[name] ??
      ((selector, provider, ...more) => {
        providers[name] = { ...provider, more };
        return nothing;
      }),
  },
);
const text = fs.readFileSync(file, "utf8");
const document = { uri: new Uri(`file://${file}`), languageId: "python", version: 1, getText: () => text };
const listen = (name) => (listener) => {
  listeners[name] = listener;
  return nothing;
};
const vscode = {
  Position,
  Range,
  Diagnostic,
  Location,
  Uri,
  WorkspaceEdit,
  languages,
  Hover: record("contents", "range"),
  MarkdownString: record("value"),
  CompletionItem: record("label", "kind"),
  SignatureHelp: record(),
  SignatureInformation: record("label", "documentation"),
  ParameterInformation: record("label"),
  DiagnosticRelatedInformation: record("location", "message"),
  DocumentSymbol: record("name", "detail", "kind", "range", "selectionRange"),
  CodeAction: record("title", "kind"),
  InlayHint: record("position", "label", "kind"),
  CodeActionKind: { QuickFix: "quickfix", Refactor: "refactor" },
  SemanticTokens: record("data"),
  SemanticTokensLegend: record("types", "modifiers"),
  DebugAdapterExecutable: record("command", "args", "options"),
  debug: {
    registerDebugAdapterDescriptorFactory: (type, factory) => {
      providers[type] = factory;
      return nothing;
    },
  },
  window: { showErrorMessage: (problem) => problems.push(problem) },
  workspace: {
    textDocuments: [document],
    getConfiguration: () => ({ get: () => tritonc }),
    onDidOpenTextDocument: listen("open"),
    onDidChangeTextDocument: listen("change"),
    onDidCloseTextDocument: listen("close"),
    onDidChangeConfiguration: listen("configuration"),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  const extension = require(`${folder}/extension.js`);
  await extension.activate({ subscriptions: [] });
  const uri = String(document.uri),
    at = new Position(Number(atLine), Number(atCharacter));
  for (let wait = 0; wait < 1000 && !shown[uri] && problems.length === 0; wait++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const result = { problems, diagnostics: shown[uri] };
  if (problems.length === 0) {
    result.hover = await providers.registerHoverProvider.provideHover(document, at);
    result.names = (await providers.registerCompletionItemProvider.provideCompletionItems(document, at)).map(
      ({ label }) => label,
    );
    result.actions = await providers.registerCodeActionsProvider.provideCodeActions(document, new Range(at, at));
    result.symbols = (await providers.registerDocumentSymbolProvider.provideDocumentSymbols(document)).map(
      ({ name }) => name,
    );
    result.hints = (
      await providers.registerInlayHintsProvider.provideInlayHints(
        document,
        new Range(new Position(0, 0), new Position(99, 0)),
      )
    ).map(({ label }) => label);
    const before = shown[uri];
    const row = Number(atLine),
      whole = text.split("\n")[row];
    listeners.change({
      document: { ...document, version: 2 },
      contentChanges: [{ range: new Range(new Position(row, 0), new Position(row, whole.length)), text: "    pass" }],
    });
    for (let wait = 0; wait < 1000 && shown[uri] === before; wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    result.after = shown[uri];
  }
  result.debugger = providers.triton.createDebugAdapterDescriptor({
    configuration: { python: "python3", cwd: folder },
  });
  await extension.deactivate();
  console.log(JSON.stringify(result));
}

main();
