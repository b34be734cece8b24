import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A mail as the server has taken it over. */
export interface TakenMail {
  /** Of the envelope. */
  readonly to: string;
  /** Of the envelope. */
  readonly from: string;
  /** As it came. */
  readonly raw: string;
  readonly subject: string;
  readonly messageId: string;
  readonly text: string;
  /** The secret of the link in it; empty when there is none. */
  readonly token: string;
}

export interface MailServer {
  readonly url: string;
  readonly mails: TakenMail[];
  /** Mailboxes that it does not know. */
  readonly unknown: Set<string>;
  /** False: who sends a mail is never told that it was taken over. */
  tells: boolean;
  /** Nothing answers at its address while it is down. */
  down(): Promise<void>;
  up(): Promise<void>;
}

/** A real mail server of this process, for everybody or for these logins alone: `user:password`. */
export async function startMailServer(logins?: ReadonlySet<string>): Promise<MailServer> {
  const post: Post = { mails: [], unknown: new Set<string>(), logins, tells: true };
  let server = await listen(0, post);
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(post, {
    url: `smtp://127.0.0.1:${port}`,
    down: () => new Promise<void>((done) => server.close(() => done())),
    up: async () => {
      server = await listen(port, post);
    },
  });
}

interface Post extends Pick<MailServer, "mails" | "unknown" | "tells"> {
  readonly logins: ReadonlySet<string> | undefined;
}

async function listen(port: number, post: Post): Promise<SMTPServer> {
  const { mails, unknown, logins } = post;
  const server = new SMTPServer({
    authOptional: logins === undefined,
    allowInsecureAuth: true,
    onAuth: ({ username = "", password = "" }, _session, done) =>
      logins?.has(`${username}:${password}`) === true
        ? done(null, { user: username })
        : done(Object.assign(new Error("wrong login"), { responseCode: 535 })),
    closeTimeout: 1,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) =>
      done(unknown.has(address) ? Object.assign(new Error("no such mailbox"), { responseCode: 550 }) : null),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const raw = Buffer.concat(chunks).toString("latin1");
        for (const { address } of envelope.rcptTo) mails.push({ from, ...parse(address, raw) });
        if (post.tells) done(null);
      });
    },
  });
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return server;
}

function parse(to: string, raw: string): Omit<TakenMail, "from"> {
  const decoded = decodeQuotedPrintable(raw);
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, "im").exec(unfold(raw))?.[1]?.trim() ?? "";
  return {
    to,
    raw,
    subject: decodeWords(header("subject")),
    messageId: header("message-id"),
    text: decoded,
    token: /\/signing\/([\w-]{64})/.exec(decoded)?.[1] ?? "",
  };
}

const unfold = (raw: string): string => raw.split("\r\n\r\n", 1)[0]?.replaceAll(/\r\n[ \t]+/g, " ") ?? "";

const decodeQuotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll("=\r\n", "")
      .replaceAll(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** RFC 2047. */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?= =\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_whole, encoding: string, word: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuotedPrintable(word.replaceAll("_", " ")),
    );
