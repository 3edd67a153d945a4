// Starts `tritonc lsp` for Python files.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = workspace.getConfiguration("triton").get("tritonc");
  client = new LanguageClient(
    "triton",
    "Triton kernels",
    { command, args: ["lsp"] },
    { documentSelector: [{ scheme: "file", language: "python" }] },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`${command} lsp does not start: ${error.message}. The setting triton.tritonc is its path.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.isRunning()) await running.stop();
}

async function activate(context) {
  context.subscriptions.push(
    workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("triton.tritonc")) return;
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
