import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";

export interface Reached {
  /** Files of ours, relative to the root. */
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** What a process loads that begins with these files: by import, as a worker, or as a file beside the code. */
export function reachedFrom(root: string, entries: readonly string[]): Reached {
  const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = entries.map((entry) => join(root, entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const name = relative(root, file);
    if (files.has(name)) continue;
    files.add(name);
    if (!file.endsWith(".ts")) continue;
    for (const named of namesIn(readFileSync(file, "utf8"))) {
      const alias = Object.keys(imports).find((each) => named.startsWith(each.replace("*", "")));
      if (alias !== undefined) waiting.push(join(root, imports[alias].replace("*", named.slice(alias.length - 1))));
      else if (named.startsWith(".")) waiting.push(join(dirname(file), named));
      else if (!named.startsWith("node:") && !builtinModules.includes(named)) packages.add(packageOf(named));
    }
  }
  return { files: new Set([...files].filter((name) => existsSync(join(root, name)))), packages };
}

/** Types are gone before the code runs; what stands in comments is no import. */
function namesIn(source: string): string[] {
  const code = source.replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  const found = [
    ...code.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm),
    ...code.matchAll(/\bimport\("([^"]+)"\)/g),
    ...code.matchAll(/new URL\("(\.[^"]*\.[a-z.]+)",\s*import\.meta\.url\)/g),
  ];
  return found.flatMap(([, name]) => (name === undefined ? [] : [name]));
}

const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
