import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The repository, or what the image has of it. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The scripts of child processes and threads, which they load instead of sources. */
export const scriptFolder = join(root, "gen/programs");

/**
 * The script made of the source of a child process or thread, which starts in a third of the time. Undefined for a
 * script, for sources of tests, and where nothing was built.
 */
export function scriptOf(source: URL): URL | undefined {
  const name = relative(root, fileURLToPath(source)).replace(/\.ts$/, "").replaceAll("/", "-");
  const script = join(scriptFolder, `${name}.mjs`);
  return existsSync(script) ? pathToFileURL(script) : undefined;
}

/** Names the sources of positions in the scripts that dev/scripts.vite.config.mjs makes of them. */
export const withSources = (text: string): string =>
  text.replaceAll(
    /file:\/\/[^\s()]*\/(gen\/(?:programs|processes)\/[\w.-]+\.mjs):(\d+)/g,
    (place, script: string, line: string) => {
      const source = partsOf(script).findLast(({ begins }) => begins <= Number(line))?.source;
      return source === undefined ? place : `${source}, ${script}:${line}`;
    },
  );

interface Part {
  readonly begins: number;
  readonly source: string;
}

const known = new Map<string, readonly Part[]>();

/** Each part of a script begins with the name of its source. */
function partsOf(script: string): readonly Part[] {
  const parts = known.get(script) ?? readParts(script);
  known.set(script, parts);
  return parts;
}

function readParts(script: string): readonly Part[] {
  try {
    return readFileSync(`${root}${script}`, "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const source = /^\/\/ (\S+\.[cm]?[jt]s)$/.exec(line)?.[1];
        return source === undefined ? [] : [{ begins: index + 1, source }];
      });
  } catch {
    return [];
  }
}
