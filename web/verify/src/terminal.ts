import type { Bytes } from "./bytes.ts";

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
