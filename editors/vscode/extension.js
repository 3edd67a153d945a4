// Asks `tritonc lsp` about Python files, and starts `python -m triton.debug` to step through kernels. Needs no package
// beside what the editor has.
const vscode = require("vscode");
const { Client } = require("./client.js");

const selector = { language: "python", scheme: "file" };
let client = null;
let diagnostics;
let subscriptions; // of the editor: what it disposes of with the extension
let namesTokens = false;

// ---- The protocol's objects as the editor's ----

const positionOf = ({ line, character }) => new vscode.Position(line, character);
const rangeOf = ({ start, end }) => new vscode.Range(positionOf(start), positionOf(end));
const placeOf = ({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), rangeOf(range));
const proseOf = (text) => (text ? new vscode.MarkdownString(text.value ?? text) : undefined);
const plain = ({ line, character }) => ({ line, character });
const plainRange = ({ start, end }) => ({ start: plain(start), end: plain(end) });

function diagnosticOf({ range, message, severity, source, relatedInformation }) {
  const shown = new vscode.Diagnostic(rangeOf(range), message, severity - 1);
  shown.source = source;
  shown.relatedInformation = relatedInformation?.map(
    (each) => new vscode.DiagnosticRelatedInformation(placeOf(each.location), each.message),
  );
  return shown;
}

function editOf({ changes }) {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, parts] of Object.entries(changes ?? {}))
    for (const { range, newText } of parts) edit.replace(vscode.Uri.parse(uri), rangeOf(range), newText);
  return edit;
}

function completionOf({ label, kind, detail, documentation, sortText }) {
  return Object.assign(new vscode.CompletionItem(label, kind - 1), {
    detail,
    documentation: proseOf(documentation),
    sortText,
  });
}

function signatureHelpOf({ signatures, activeSignature, activeParameter }) {
  const help = new vscode.SignatureHelp();
  help.signatures = signatures.map(({ label, documentation, parameters }) => {
    const signature = new vscode.SignatureInformation(label, proseOf(documentation));
    signature.parameters = (parameters ?? []).map((each) => new vscode.ParameterInformation(each.label));
    return signature;
  });
  help.activeSignature = activeSignature ?? 0;
  help.activeParameter = activeParameter ?? 0;
  return help;
}

function symbolOf({ name, detail, kind, range, selectionRange, children }) {
  const symbol = new vscode.DocumentSymbol(name, detail ?? "", kind - 1, rangeOf(range), rangeOf(selectionRange));
  symbol.children = (children ?? []).map(symbolOf);
  return symbol;
}

function actionOf({ title, kind, edit, isPreferred }) {
  const { QuickFix, Refactor } = vscode.CodeActionKind;
  return Object.assign(new vscode.CodeAction(title, kind === "refactor" ? Refactor : QuickFix), {
    edit: editOf(edit),
    isPreferred,
  });
}

// ---- Questions of the editor ----

const about = (document) => ({ textDocument: { uri: document.uri.toString() } });

/** What `convert` makes of the answer; nothing where there is none, or no server. */
async function ask(method, params, convert) {
  const answer = await client?.request(`textDocument/${method}`, params).catch(() => null);
  return answer ? convert(answer) : undefined;
}

const askAt = (method, convert) => (document, position) =>
  ask(method, { ...about(document), position: plain(position) }, convert);

function register() {
  const { languages } = vscode;
  const renames = {
    async provideRenameEdits(document, position, newName) {
      const place = { ...about(document), position: plain(position) };
      const answer = await client?.request("textDocument/rename", { ...place, newName });
      return answer ? editOf(answer) : undefined;
    },
    async prepareRename(document, position) {
      const place = { ...about(document), position: plain(position) };
      const answer = await client?.request("textDocument/prepareRename", place);
      return answer ? rangeOf(answer) : undefined;
    },
  };
  const hints = (document, range) =>
    ask("inlayHint", { ...about(document), range: plainRange(range) }, (found) =>
      found.map((each) => new vscode.InlayHint(positionOf(each.position), each.label, each.kind)),
    );
  const actions = (document, range) =>
    ask("codeAction", { ...about(document), range: plainRange(range), context: { diagnostics: [] } }, (found) =>
      found.map(actionOf),
    );
  return [
    languages.registerHoverProvider(selector, {
      provideHover: askAt(
        "hover",
        ({ contents, range }) => new vscode.Hover(proseOf(contents), range && rangeOf(range)),
      ),
    }),
    languages.registerCompletionItemProvider(
      selector,
      { provideCompletionItems: askAt("completion", ({ items }) => items.map(completionOf)) },
      ".",
    ),
    languages.registerSignatureHelpProvider(
      selector,
      { provideSignatureHelp: askAt("signatureHelp", signatureHelpOf) },
      "(",
      ",",
    ),
    languages.registerDefinitionProvider(selector, {
      provideDefinition: askAt("definition", (places) => places.map(placeOf)),
    }),
    languages.registerReferenceProvider(selector, {
      provideReferences: (document, position) =>
        ask(
          "references",
          { ...about(document), position: plain(position), context: { includeDeclaration: true } },
          (places) => places.map(placeOf),
        ),
    }),
    languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: (document) => ask("documentSymbol", about(document), (symbols) => symbols.map(symbolOf)),
    }),
    languages.registerCodeActionsProvider(
      selector,
      { provideCodeActions: actions },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.Refactor] },
    ),
    languages.registerInlayHintsProvider(selector, { provideInlayHints: hints }),
    languages.registerRenameProvider(selector, renames),
  ];
}

/** Once, when a server has said what its numbers of kinds mean. */
function registerTokens({ legend } = {}) {
  if (!legend || namesTokens) return;
  namesTokens = true;
  const tokens = {
    provideDocumentSemanticTokens: (document) =>
      ask("semanticTokens/full", about(document), ({ data }) => new vscode.SemanticTokens(new Uint32Array(data))),
  };
  subscriptions.push(
    vscode.languages.registerDocumentSemanticTokensProvider(
      selector,
      tokens,
      new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers),
    ),
  );
}

// ---- Documents ----

const isKernelFile = (document) => vscode.languages.match(selector, document) > 0;

function open(document) {
  if (isKernelFile(document))
    client?.notify("textDocument/didOpen", {
      textDocument: {
        uri: document.uri.toString(),
        languageId: "python",
        version: document.version,
        text: document.getText(),
      },
    });
}

function change({ document, contentChanges }) {
  if (!isKernelFile(document) || contentChanges.length === 0) return;
  const changes = contentChanges.map(({ range, text }) => ({ range: plainRange(range), text }));
  client?.notify("textDocument/didChange", {
    textDocument: { uri: document.uri.toString(), version: document.version },
    contentChanges: changes,
  });
}

function close(document) {
  if (isKernelFile(document)) client?.notify("textDocument/didClose", about(document));
}

// ---- The server's process ----

function take(method, params) {
  if (method === "textDocument/publishDiagnostics")
    diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnosticOf));
}

async function startServer() {
  const command = vscode.workspace.getConfiguration("triton").get("tritonc");
  const report = (problem) =>
    vscode.window.showErrorMessage(`${command} lsp does not run: ${problem}. The setting triton.tritonc is its path.`);
  client = new Client(command, take, (problem) => {
    client = null;
    diagnostics.clear();
    report(problem);
  });
  let answer;
  try {
    answer = await client.request("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  } catch {
    return; // it was reported
  }
  client?.notify("initialized", {});
  registerTokens(answer.capabilities.semanticTokensProvider);
  vscode.workspace.textDocuments.forEach(open);
}

async function stop() {
  const running = client;
  client = null;
  diagnostics.clear();
  await running?.stop();
}

// ---- The debugger ----

function describeDebugger({ configuration: { python, cwd, env } }) {
  const command = python ?? vscode.workspace.getConfiguration("triton").get("python");
  return new vscode.DebugAdapterExecutable(command, ["-m", "triton.debug"], { cwd, env });
}

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection("triton");
  ({ subscriptions } = context);
  const factory = { createDebugAdapterDescriptor: describeDebugger };
  subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("triton", factory));
  await startServer();
  const { workspace } = vscode;
  subscriptions.push(
    diagnostics,
    ...register(),
    workspace.onDidOpenTextDocument(open),
    workspace.onDidChangeTextDocument(change),
    workspace.onDidCloseTextDocument(close),
    workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("triton.tritonc")) return;
      await stop();
      await startServer();
    }),
  );
}

module.exports = { activate, deactivate: stop };
