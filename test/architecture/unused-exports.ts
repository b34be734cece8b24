// What files export, and who imports it by name. Types count as parts of the signatures that use them. Run by itself it
// prints what nobody imports.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const rooms = ["api", "platform", "services", "gateway", "views", "web", "dev", "bench", "test"];

interface Module {
  readonly exports: readonly string[];
  /** What it takes of other files: a name, or * for all of it. */
  readonly imports: readonly { readonly path: string; readonly name: string }[];
}

/** `path: name` of whatever is exported and imported by no other file. */
export function unusedExports(modules: ReadonlyMap<string, Module>): string[] {
  const used = new Set(
    [...modules].flatMap(([from, { imports }]) =>
      imports.filter(({ path }) => path !== from).map(({ path, name }) => `${path}: ${name}`),
    ),
  );
  return [...modules].flatMap(([path, { exports }]) =>
    used.has(`${path}: *`) ? [] : exports.map((name) => `${path}: ${name}`).filter((exported) => !used.has(exported)),
  );
}

export const readModules = (): Map<string, Module> =>
  new Map(
    rooms
      .flatMap((room) =>
        readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
      )
      .filter((path) => /\.(tsx?|mjs)$/.test(path) && !/node_modules|(^|\/)dist\/|\.d\.ts$/.test(path))
      .map((path) => [path, parseModule(path, readFileSync(join(root, path), "utf8"))]),
  );

const declaration = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|enum) (\w+)/gm;
const list = /^(import|export) (?:type )?(?:\w+, )?\{([^}]*)\}(?: from \x22([^\x22]+)\x22)?/gm;
const whole = /(?:\* as \w+ from|^export \* from|\bimport\(|new URL\(|^import) ?"(\.[^"]+|#[^"]+)"/gm;

export function parseModule(path: string, text: string): Module {
  const exports = Array.from(text.matchAll(declaration), ([, name = ""]) => name);
  const imports: { path: string; name: string }[] = [];
  const resolved = (specifier: string): string =>
    specifier.startsWith("#") ? specifier.slice(1) : relative(root, resolve(root, dirname(path), specifier));
  for (const [, word, names = "", specifier] of text.matchAll(list)) {
    for (const item of names.split(",").map((one) => one.trim().replace(/^type /, ""))) {
      if (item === "") continue;
      const [original = "", own = original] = item.split(" as ");
      if (word === "export") exports.push(own);
      if (specifier !== undefined) imports.push({ path: resolved(specifier), name: original });
    }
  }
  for (const [, specifier = ""] of text.matchAll(whole)) imports.push({ path: resolved(specifier), name: "*" });
  return { exports, imports };
}

if (import.meta.main) process.stdout.write(`${unusedExports(readModules()).join("\n")}\n`);
