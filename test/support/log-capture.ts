import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formsOf as writtenForms } from "#platform/testing/database-dump.ts";
import type { SecretRegistry } from "./secrets.ts";

/** Every form in which a secret gives itself away in a text. Those too short to tell anything are left out. */
function formsOf(secret: string): string[] {
  const forms = [
    ...writtenForms(secret),
    encodeURIComponent(secret),
    [...Buffer.from(secret)].join(","),
    ...signatureOf(secret),
    ...formsOfKey(secret),
  ];
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

const shortest = 6;

/** The signature is what nobody else can make; the rest of a token tells no more than logs may say. */
function signatureOf(secret: string): string[] {
  const signature = /^eyJ[\w-]+\.[\w-]*\.([\w-]+)$/.exec(secret)?.[1];
  return signature === undefined ? [] : [signature];
}

/** Master keys are 32 bytes that are given in base64 but used, and perhaps shown, as they are. */
function formsOfKey(secret: string): string[] {
  const key = Buffer.from(secret, "base64");
  if (key.length !== 32 || key.toString("base64") !== secret) return [];
  return [[...key].join(","), key.toString("hex"), key.toString("base64url")];
}

/** What one process or server has said. */
export interface LogSource {
  readonly name: string;
  readonly text: string;
}

/** The lines of a logger, kept for the end; failures are also shown at once, so that a test that breaks says why. */
export function captureLines(): { write(line: string): void; text(): string } {
  const lines: string[] = [];
  return {
    write: (line) => {
      lines.push(line);
      if (/^\{"level":"(error|fatal)"/.test(line)) process.stdout.write(line);
    },
    text: () => lines.join(""),
  };
}

/** Every log file of a folder. */
export const readLogFolder = (folder: string): LogSource[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(".log"))
        .map((file) => ({ name: file, text: readFileSync(join(folder, file), "utf8") }))
    : [];

/** Throws when a secret is in a log, and says which kind it is and where, but not what it is. */
export function requireNoSecrets(sources: readonly LogSource[], registry: SecretRegistry): void {
  const findings = findSecrets(sources, registry.secrets);
  if (findings.length > 0) throw new Error(`the logs hold secrets:\n${findings.join("\n")}`);
}

const mostFindings = 10;

function findSecrets(sources: readonly LogSource[], secrets: ReadonlyMap<string, string>): string[] {
  const search = createSearch(secrets);
  const findings = new Map<string, string>();
  for (const { name, text } of sources) {
    const bytes = Buffer.from(text);
    search(bytes, (form, at) => {
      const key = `${form.kind} ${name}`;
      if (findings.size < mostFindings && !findings.has(key)) findings.set(key, describe(form, name, bytes, at));
    });
  }
  return [...findings.values()];
}

interface Form {
  readonly kind: string;
  readonly bytes: Buffer;
}

type Search = (text: Buffer, found: (form: Form, at: number) => void) => void;

/**
 * Looks for all forms of all secrets at once, since a suite has thousands of them and megabytes of logs: by the first
 * four bytes of each, of which a small table tells nearly always that none begins so.
 */
function createSearch(secrets: ReadonlyMap<string, string>): Search {
  const byStart = new Map<number, Form[]>();
  const starts = new Uint8Array(1 << 16);
  for (const [secret, kind] of secrets) {
    for (const text of formsOf(secret)) {
      const bytes = Buffer.from(text);
      const start = bytes.readUInt32LE(0);
      starts[slotOf(start)] = 1;
      byStart.set(start, [...(byStart.get(start) ?? []), { kind, bytes }]);
    }
  }
  return (text, found) => {
    for (let at = 0, start = 0; at + 3 < text.length; at++) {
      start = at === 0 ? text.readUInt32LE(0) : (start >>> 8) | ((text[at + 3] ?? 0) << 24);
      if (starts[slotOf(start)] !== 1) continue;
      for (const form of byStart.get(start >>> 0) ?? []) {
        if (text.subarray(at, at + form.bytes.length).equals(form.bytes)) found(form, at);
      }
    }
  };
}

const slotOf = (start: number): number => Math.imul(start, 0x9e3779b1) >>> 16;

function describe({ kind, bytes }: Form, source: string, text: Buffer, at: number): string {
  const begin = text.lastIndexOf("\n", at) + 1;
  const end = text.indexOf("\n", at);
  const line = text.subarray(begin, end === -1 ? text.length : end).toString();
  const shown = line.replaceAll(bytes.toString(), `«${kind}»`);
  const number = text.subarray(0, at).toString().split("\n").length;
  const place = Math.max(0, shown.indexOf(`«${kind}»`) - 150);
  return `- ${kind} in line ${number} of ${source}: …${shown.slice(place, place + 400)}…`;
}
