import { types } from "node:util";
import { type DestinationStream, type LogFn, type Logger as PinoLogger, pino } from "pino";
import { withSources } from "./built-scripts.ts";

export type Logger = PinoLogger;

/**
 * A logger that writes one JSON object per line to stdout, with pino's level names; `silent` turns it off.
 * Values that look like secrets or have a secret's name are masked everywhere. Still, never log bodies or
 * header collections. One exception: pino writes a child logger's bindings unmasked.
 */
export function createLogger(service: string, level = "info", destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: loggableMembers },
    // The formatter has already described errors.
    serializers: { err: (err: unknown) => err },
    hooks: { logMethod: maskTexts },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

const loggableMembers = (members: object) => loggable(members) as Record<string, unknown>;

/** Also masks the message that pino takes from an error logged without one. */
function maskTexts(this: Logger, args: Parameters<LogFn>, log: LogFn): void {
  const masked: unknown[] = args.map((arg) => (typeof arg === "string" ? maskSecrets(arg) : arg));
  const [first] = masked as [{ readonly err?: unknown; readonly message?: unknown } | string];
  if (masked.length === 1 && typeof first === "object") {
    const { message } = (first.err ?? first) as { readonly message?: unknown };
    if (typeof message === "string") masked.push(maskSecrets(message));
  }
  log.apply(this, masked as Parameters<LogFn>);
}

/** For log lines whose fields are all named in code and never secret: skips masking. */
export const withoutRedaction = (logger: Logger): Logger =>
  logger.child({}, { formatters: { log: (members) => members } });

/**
 * Buffered standard output for processes that log a line per request, where a write per line would cost more
 * than the rest of it. Lines appear within a quarter of a second and at exit; a killed process loses its last
 * moments.
 */
export const bufferedStdout = (): DestinationStream => inBlocks(pino.destination({ dest: 1, sync: false }));

const blockLength = 16_000;
const longestWaitMs = 250;

/**
 * Collects lines in front of pino's own destination. Its minLength option does the same but measures the whole
 * buffer for every line, which took 1.4 µs of the 3.7 µs per line.
 */
function inBlocks(destination: Pick<ReturnType<typeof pino.destination>, "write" | "flushSync">) {
  let block = "";
  const flush = (): void => {
    if (block === "") return;
    const lines = block;
    block = "";
    destination.write(lines);
  };
  const flushSync = (): void => {
    flush();
    destination.flushSync();
  };
  setInterval(flush, longestWaitMs).unref();
  process.once("exit", flushSync);
  return {
    write: (line: string): void => {
      block += line;
      if (block.length >= blockLength) flush();
    },
    /** Called by pino before a process exits. */
    flushSync,
  };
}

/**
 * A value as it may be logged: secrets masked by name and by form, no bodies, headers or bytes, and of errors
 * only what identifies the failure.
 */
function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (typeof value !== "object" || value === null || types.isDate(value)) return value;
  if (depth >= maxDepth) return "[too deep]";
  if (isError(value)) return describeError(value, depth);
  if (Array.isArray(value)) return value.map((item) => loggable(item, depth + 1));
  if (!isPlain(value)) return `[${value.constructor?.name ?? "object"}]`;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    kept[name] = secretNames.has(plainName(name)) ? redacted : loggable(member, depth + 1);
  }
  return kept;
}

/** Masks what looks like one of our secrets, a credential in a header or URL, or a token in a query. */
function maskSecrets(text: string): string {
  if (text.length < shortestText) return text;
  let masked = text.length > maxText ? `${text.slice(0, maxText)}…` : text;
  for (const [pattern, replacement] of secretForms) masked = masked.replaceAll(pattern, replacement as string);
  return masked;
}

const maxDepth = 6;
/** A shorter text cannot contain a secret in a recognizable form. */
const shortestText = 12;
const maxText = 10_000;
const maxCauses = 8;
const redacted = "[redacted]";

/** Names whose values are never logged, at any depth and in any spelling: `client_secret`, `clientSecret`. */
const secretNames: ReadonlySet<string> = new Set(
  [
    ["authorization", "proxyauthorization", "cookie", "setcookie", "headers", "metadata", "requestheader", "body"],
    ["apikey", "token", "accesstoken", "rendertoken", "refreshtoken", "idtoken", "admintoken", "assertion"],
    ["clientassertion", "secret", "clientsecret", "password", "passphrase", "masterkey", "privatekey", "privatejwk"],
    ["idempotencykey", "xidempotencykey", "userref", "email", "databaseurl", "connectionstring", "parameters"],
  ].flat(),
);

const plainName = (name: string): string => name.replaceAll(/[-_]/g, "").toLowerCase();

/** Each starts with a literal, so that texts without secrets are cheap to check. */
const secretForms: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\bak_(live|test)_[0-9A-Za-z]+(_[0-9A-Za-z]*)?/g, "ak_[redacted]"],
  [/\bcs_[0-9A-Za-z]{20,}/g, "cs_[redacted]"],
  [/\beyJ[\w-]{10,}(\.[\w-]*){0,4}/g, "[redacted JWT]"],
  [/\b(bearer|basic) +[\w\-.~+/]{8,}=*/gi, "$1 [redacted]"],
  [/([?&;](?:\w*token|code|secret|password|assertion|key)=)[^&\s"'#]+/gi, "$1[redacted]"],
  [/(:\/\/[^\s:/@]*):[^\s/@]+@/g, "$1:[redacted]@"],
  [/\bhttps?:\/\/[^\s"'<>?#]+/gi, (address) => maskPath(address, redacted)],
];

/**
 * Of an address of the web, the parts of the path that may be what lets somebody in, as in the webhooks of chat services: at
 * least 20 characters with letters and digits. Ids of that form go with them: nobody can tell which is which.
 */
export const maskPath = (address: string, mask: string): string =>
  address.replace(
    /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/i,
    (_all, host: string, path: string) =>
      host + path.replaceAll(/(?<=\/)(?=[^/]*[0-9])(?=[^/]*[a-z])[^/]{20,}/gi, mask),
  );

/** Plain objects. Of others, such as requests and buffers, only the class name is logged. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Also errors of other realms, which are not instances of our Error: Jest runs tests in one. */
const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

/** Properties of Node's, Postgres' and Connect's errors that contain no data. */
const toldByErrors = [
  "code",
  "errno",
  "syscall",
  "address",
  "port",
  "severity",
  "schema",
  "table",
  "column",
  "constraint",
  "routine",
  "failure",
] as const;

/**
 * Not all of an error's properties: Postgres quotes rows in `detail` and `where`, HTTP clients attach requests
 * with headers, Connect attaches metadata.
 */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const chain = causesOf(error);
  const members = error as unknown as Readonly<Record<string, unknown>>;
  const told = toldByErrors.flatMap((name) => {
    const value = members[name];
    return typeof value === "string" || typeof value === "number" ? [[name, loggable(value)] as const] : [];
  });
  const inner = Array.isArray(members.errors) ? members.errors.slice(0, maxCauses) : [];
  return {
    type: error.constructor.name,
    message: chain.map(messageOf).join(": "),
    stack: chain.map(stackOf).join("\ncaused by: "),
    ...Object.fromEntries(told),
    ...(inner.length === 0 ? {} : { errors: inner.map((one) => loggable(one, depth + 1)) }),
  };
}

function causesOf(error: Error): Error[] {
  const chain: Error[] = [];
  let current: unknown = error;
  while (isError(current) && chain.length < maxCauses && !chain.includes(current)) {
    chain.push(current);
    current = current.cause;
  }
  return chain;
}

/** SQLSTATE class 22 is about data, and its messages quote it: `invalid input syntax for type uuid: "…"`. */
function messageOf(error: Error): string {
  const state = (error as { readonly code?: unknown }).code;
  const quotesData = typeof state === "string" && /^22[0-9A-Z]{3}$/.test(state);
  const message = quotesData ? error.message.replaceAll(/"[^"]*"/g, '"…"') : error.message;
  return maskSecrets(message);
}

/** Only the frames: above them the stack repeats the original message. */
function stackOf(error: Error): string {
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${messageOf(error)}`, ...places.map((place) => maskSecrets(withSources(place)))].join("\n");
}
