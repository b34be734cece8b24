import { readFileSync } from "node:fs";
import type { Logger } from "./logger.ts";

export interface WatchedFileOptions<T> {
  readonly path: string;
  /** Makes a value of the file's text. Throws when it cannot. */
  readonly parse: (text: string) => T;
  /** How often the file is read again, in milliseconds; every ten seconds when absent. */
  readonly refreshMs?: number | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * A value in a file that may be replaced while the process runs. What cannot be read or used, because it is just being
 * written or is damaged, changes nothing. Throws when it cannot be read at first.
 */
export function watchFile<T>({ path, parse, refreshMs = 10_000, logger }: WatchedFileOptions<T>): () => T {
  let text = readFileSync(path, "utf8");
  let value = parse(text);
  const refresh = (): void => {
    try {
      const next = readFileSync(path, "utf8");
      if (next === text) return;
      value = parse(next);
      text = next;
      logger?.info({ path }, "took up a file that has changed");
    } catch (error) {
      logger?.warn({ err: error, path }, "a file that has changed cannot be used; what it said before holds");
    }
  };
  setInterval(refresh, refreshMs).unref();
  return () => value;
}
