import type { Bytes } from "./bytes.ts";
import { table } from "./cli-table.ts";
import { isObject, type Json, parseJson } from "./json.ts";
import { Problem } from "./problem.ts";
import type { Terminal } from "./terminal.ts";
import { verifyBundle } from "./verify-bundle.ts";

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
