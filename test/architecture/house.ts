// What the house is made of, in numbers: how many source files, how long, and who imports whom in a circle.
// Run by itself it prints them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const rooms = ["api", "platform", "services", "gateway", "views", "web", "dev"];

export interface SourceFile {
  /** Inside the repository. */
  readonly path: string;
  readonly lines: number;
  /** The files that it imports, those of which it takes types only among them; not those that it loads when asked. */
  readonly imports: readonly string[];
}

/** Every file of the product and of the programs around it; no tests, nothing generated. */
export const sourceFiles = (): SourceFile[] =>
  rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|mjs)$/.test(name) && !/node_modules|(^|\/)(dist|test)\/|\.test\./.test(name))
      .map((name) => read(join(room, name))),
  );

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const imports = [...text.matchAll(/(?:\bfrom|^import)\s+"([.#][^"]+)"/gm)].map(([, specifier = ""]) =>
    specifier.startsWith("#") ? specifier.slice(1) : relative(root, resolve(root, dirname(path), specifier)),
  );
  return { path, lines: text.split("\n").length - 1, imports };
}

export function median(files: readonly SourceFile[]): number {
  const lines = files.map((file) => file.lines).sort((a, b) => a - b);
  return lines[Math.floor(lines.length / 2)] ?? 0;
}

/** Groups of files each of which reaches every other one by imports (Tarjan's strongly connected components). */
export function circles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const order = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    let low = own;
    open.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? own);
    }
    if (low === own) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) found.push(circle.sort());
    }
    return low;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return found;
}

if (import.meta.main) {
  const files = sourceFiles();
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const { length: within } = circles(files);
  process.stdout.write(
    `${files.length} source files, ${lines} lines, median ${median(files)}; ${within} circles of imports\n`,
  );
}
