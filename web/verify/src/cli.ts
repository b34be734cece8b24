import type { Bytes } from "./bytes.ts";
import { type Finding, Problem, type Status } from "./finding.ts";
import { isObject, type Json, parseJson } from "./json.ts";
import { type Verification, verifyBundle } from "./verify-bundle.ts";

const usage = `Checks an evidence bundle without a network.

usage: node verify-bundle.mjs <bundle.json> [--keys <keys.json>] [--json]

  <bundle.json>   the bundle; - reads it from the standard input
  --keys <file>   the installation's keys, fetched from /.well-known/click-keys.json?log=<organizationId>.
                  Without them the keys inside the bundle are used, which prove nothing by themselves
  --json          prints { ok, checks } as JSON

Ends with 0 when nothing failed, with 1 when something did, and with 2 when it could not be run.
`;

/** Why the verifier cannot run; not a fault of the bundle. */
class UsageError extends Error {}

/** Runs the verifier and gives its exit code. */
export async function runVerifier(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = parseArguments(args);
    if (options === "help") {
      terminal.write(usage);
      return 0;
    }
    const keys = options.keys === undefined ? {} : { keys: await readKeys(options.keys, terminal) };
    const bundle = await readText(options.bundle, terminal);
    const result = await verifyBundle(bundle, keys);
    terminal.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : table(result, terminal.columns));
    return result.ok ? 0 : 1;
  } catch (error) {
    terminal.writeError(`verify-bundle: ${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) terminal.writeError(`\n${usage}`);
    return 2;
  }
}

interface Options {
  readonly bundle: string;
  readonly keys: string | undefined;
  readonly json: boolean;
}

function parseArguments(args: readonly string[]): Options | "help" {
  let bundle: string | undefined;
  let keys: string | undefined;
  let json = false;
  const waiting = [...args];
  for (let argument = waiting.shift(); argument !== undefined; argument = waiting.shift()) {
    if (argument === "--help" || argument === "-h") return "help";
    if (argument === "--json") json = true;
    else if (argument === "--keys") keys = waiting.shift() ?? refuse("--keys needs a file");
    else if (argument.startsWith("-") && argument !== "-") refuse(`there is no option ${argument}`);
    else if (bundle === undefined) bundle = argument;
    else refuse("there is more than one bundle");
  }
  return { bundle: bundle ?? refuse("which bundle is to be checked?"), keys, json };
}

function refuse(message: string): never {
  throw new UsageError(message);
}

async function readKeys(path: string, terminal: Terminal): Promise<object> {
  const keys = parseKeys(await readText(path, terminal));
  return isObject(keys) ? keys : refuse("the key file is not a JSON object");
}

function parseKeys(text: string): Json {
  try {
    return parseJson(text, "the key file");
  } catch (error) {
    return refuse(error instanceof Problem ? error.message : "the key file cannot be read");
  }
}

/** Bytes that are no UTF-8 are no text, and as such no bundle. */
async function readText(path: string, terminal: Terminal): Promise<string> {
  const bytes = path === "-" ? await terminal.readInput() : await readFile(path, terminal);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "";
  }
}

async function readFile(path: string, terminal: Terminal): Promise<Bytes> {
  try {
    return await terminal.readFile(path);
  } catch (error) {
    return refuse(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Narrower messages are no easier to read than unwrapped ones. */
const minMessageWidth = 30;

/** The findings as a table, one line each unless the terminal is narrower, and what they come to. */
function table({ ok, checks }: Verification, columns: number | undefined): string {
  const rows = checks.map(
    (finding) => [finding.status, finding.check, finding.record ?? "-", finding.message] as const,
  );
  const header = ["STATUS", "CHECK", "RECORD", "MESSAGE"] as const;
  const widths = [0, 1, 2].map((n) => Math.max(...[header, ...rows].map((row) => (row[n] ?? "").length)));
  const indent = widths.reduce((sum, width) => sum + width + 2, 0);
  const room = columns === undefined ? 0 : columns - indent;
  const lines = [header, ...rows].flatMap((row) => {
    const start = widths.map((width, n) => (row[n] ?? "").padEnd(width + 2)).join("");
    const [first = "", ...rest] = wrap(row[3], room);
    return [start + first, ...rest.map((line) => " ".repeat(indent) + line)];
  });
  return `${lines.join("\n")}\n\n${verdict(ok, checks)}\n`;
}

function wrap(message: string, width: number): string[] {
  if (width < minMessageWidth) return [message];
  const lines: string[] = [];
  let line = "";
  for (const word of message.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const statuses: readonly Status[] = ["PASS", "FAIL", "NOT PRESENT", "ERASED"];

function verdict(ok: boolean, checks: readonly Finding[]): string {
  const counts = statuses
    .map((status) => [status, checks.filter((finding) => finding.status === status).length] as const)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  return `Result: ${ok ? "nothing failed" : "FAILED"} (${counts.join(", ")})${warning(ok, checks)}`;
}

function warning(ok: boolean, checks: readonly Finding[]): string {
  const isUnproven = checks.some(({ check, status }) => check === "KEYS" && status === "NOT PRESENT");
  return ok && isUnproven
    ? "\nThe bundle agrees with itself; without a key file (--keys) nothing proves who made it."
    : "";
}

/** What the command line has to do with its surroundings. */
export interface Terminal {
  readFile(path: string): Promise<Bytes>;
  readInput(): Promise<Bytes>;
  write(text: string): void;
  writeError(text: string): void;
  /** Characters in a line; undefined when the output is no terminal. */
  readonly columns: number | undefined;
}

/** The part of Node's process that is used; browsers have none. */
interface NodeProcess {
  readonly argv: readonly string[];
  exitCode?: number | string | null | undefined;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: { write(text: string): boolean; readonly columns?: number };
  readonly stderr: { write(text: string): boolean };
}

/** Runs a program when the file at this address is the one that Node was started with. */
export async function runAsProgram(
  url: string,
  run: (args: readonly string[], terminal: Terminal) => Promise<number>,
): Promise<void> {
  const { process } = globalThis as unknown as { process?: NodeProcess };
  const started = process?.argv?.[1];
  if (process === undefined || started === undefined) return;
  const { pathToFileURL } = await import("node:url");
  const { realpath } = await import("node:fs/promises");
  const file = await realpath(started).catch(() => started);
  if (pathToFileURL(file).href === url) process.exitCode = await run(process.argv.slice(2), nodeTerminal(process));
}

export const nodeTerminal = ({ stdin, stdout, stderr }: Omit<NodeProcess, "argv">): Terminal => ({
  readFile: async (path) => {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(await readFile(path));
  },
  readInput: async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(chunk);
    return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  },
  write: (text) => void stdout.write(text),
  writeError: (text) => void stderr.write(text),
  columns: stdout.columns,
});
