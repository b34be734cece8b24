import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends bytes as they are and reads until the other side closes; resolves with all answers. Of several pieces the
 * later ones are sent when something has been answered.
 */
export function sendRaw(port: number, bytes: string | Buffer | readonly string[]): Promise<RawAnswer[]> {
  const [first = "", ...later] = typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes;
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      received += chunk;
      const next = later.shift();
      if (next !== undefined) socket.write(next);
    });
    // A side that closes while there is something to read resets the connection; what it answered counts all the same.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
    socket.on("close", () => resolve(parseAnswers(received)));
    socket.write(first);
  });
}

export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== "") {
    const [head = "", ...after] = rest.split("\r\n\r\n");
    const [statusLine = "", ...lines] = head.split("\r\n");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const tail = after.join("\r\n\r\n");
    const length = Number(headers.get("content-length") ?? 0);
    answers.push({ status: Number(statusLine.split(" ")[1]), headers, body: tail.slice(0, length) });
    rest = tail.slice(length);
  }
  return answers;
}
