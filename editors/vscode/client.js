// Talks to a language server through its standard input and output.
const { spawn } = require("child_process");

class Client {
  /** `onNotification(method, params)` gets what the server says by itself, `onEnd(problem)` that it has ended before it was asked to. */
  constructor(command, onNotification, onEnd) {
    this.onNotification = onNotification;
    this.onEnd = onEnd;
    this.waiting = new Map(); // by the request's number: {resolve, reject}
    this.last = 0;
    this.received = Buffer.alloc(0);
    this.process = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    this.process.on("error", (error) => this.end(error.message));
    this.process.on("exit", (status) => this.end(`it ended with status ${status}`));
    this.process.stdin.on("error", () => {}); // the exit says more
    this.process.stdout.on("data", (data) => this.receive(data));
  }

  end(problem) {
    if (!this.process) return;
    this.process = null;
    for (const { reject } of this.waiting.values()) reject(new Error(problem));
    this.waiting.clear();
    this.onEnd(problem);
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const headerEnd = this.received.indexOf("\r\n\r\n");
      if (headerEnd < 0) return;
      const length = Number(/Content-Length: *(\d+)/i.exec(this.received.toString("latin1", 0, headerEnd))[1]);
      const begin = headerEnd + 4;
      if (this.received.length < begin + length) return;
      const message = JSON.parse(this.received.toString("utf8", begin, begin + length));
      this.received = this.received.subarray(begin + length);
      this.take(message);
    }
  }

  take({ id, method, params, result, error }) {
    if (method) return this.onNotification(method, params);
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process?.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params) {
    if (!this.process) return Promise.reject(new Error("the server has ended"));
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  async stop() {
    if (!this.process) return;
    const running = this.process;
    this.onEnd = () => {};
    await this.request("shutdown", null).catch(() => {});
    this.notify("exit", null);
    running.stdin.end();
  }
}

module.exports = { Client };
