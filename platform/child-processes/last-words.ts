import type { Readable } from "node:stream";

/** Keeps the end of what a process writes. */
export function keepLastWords(stream: Readable | null): () => string {
  let kept = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (chunk: string) => {
    kept = (kept + chunk).slice(-maxLength);
  });
  return () => kept;
}

const maxLength = 16_384;

/** True when it says that memory was refused: by V8, or by the allocator of something native. */
export const tellsOfMemory = (words: string): boolean =>
  /heap out of memory|heap limit|allocation failed|memory allocation of \d+ bytes failed|Fatal process out of memory/i.test(
    words,
  );

/**
 * Where the process came down, for the log: the kind of error, and places in the source. Never what was said there, which
 * may have parts of a document in it.
 */
export const placesIn = (words: string): string[] =>
  (
    words.match(/panicked at [\w./@-]+:\d+(?::\d+)?|^(?:[A-Z]\w*Error)\b|(?:file:\/\/|node:)[^\s()"'`]+:\d+:\d+/gm) ??
    []
  ).slice(0, 10);
