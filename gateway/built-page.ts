import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { Logger } from "#platform/logger.ts";
import type { Reply } from "./http/reply.ts";

/** A built page, ready to be served. */
export interface BuiltPage {
  readonly html: string;
  /** The page's assets, by `folder/file`. */
  readonly files: ReadonlyMap<string, PageFile>;
}

export interface PageFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly etag: string;
  /** Whether the file name contains a content hash. */
  readonly isLasting: boolean;
}

interface Loading {
  /** What it is, such as "signing page". */
  readonly name: string;
  /** What does not work without it. */
  readonly loss: string;
  readonly required: boolean;
  readonly logger: Logger;
}

/**
 * Undefined when it was not built; throws if it is required. It is read when somebody first asks for it: it takes several
 * megabytes, and many processes are never asked.
 */
export function loadBuiltPage(folder: string, { name, loss, required, logger }: Loading): BuiltPage | undefined {
  const index = join(folder, "index.html");
  if (!existsSync(index)) {
    if (required) throw new Error(`the ${name} in ${folder} is missing; build it before the start`);
    logger.warn({ folder }, `the ${name} was not built; ${loss}`);
    return undefined;
  }
  let loaded: BuiltPage | undefined;
  const load = (): BuiltPage => {
    loaded ??= { html: readFileSync(index, "utf8"), files: new Map(filesIn(folder)) };
    return loaded;
  };
  return {
    get html() {
      return load().html;
    },
    get files() {
      return load().files;
    },
  };
}

/** The build's folder for files named by their hash. */
const lastingFolder = "code";

function* filesIn(root: string): Iterable<[string, PageFile]> {
  for (const folder of readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const file of readdirSync(join(root, folder.name))) {
      yield [`${folder.name}/${file}`, pageFile(join(root, folder.name, file), folder.name === lastingFolder)];
    }
  }
}

/**
 * Read when somebody asks for it, and kept. Parts of large fonts, each for the letters of few names, are read each time:
 * browsers keep them.
 */
function pageFile(path: string, isLasting: boolean): PageFile {
  const type = extname(path);
  let kept: Buffer | undefined;
  const bytes = (): Buffer => {
    if (type === ".woff2") return readFileSync(path);
    kept ??= readFileSync(path);
    return kept;
  };
  const digest = (of: string | Buffer): string => `"${createHash("sha256").update(of).digest("hex").slice(0, 32)}"`;
  let etag: string | undefined;
  return {
    contentType: contentTypes.get(type) ?? "application/octet-stream",
    isLasting,
    get bytes() {
      return bytes();
    },
    get etag() {
      // Such a name has the hash of the content.
      etag ??= digest(isLasting ? basename(path) : bytes());
      return etag;
    },
  };
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".ttf", "font/ttf"],
  [".wasm", "application/wasm"],
  [".woff2", "font/woff2"],
]);

/** `policy` is the Content-Security-Policy of the file, for scripts that run in a worker. */
export const pageFileReply = (file: PageFile, policy: string): Reply => ({
  status: 200,
  body: file.bytes,
  isShared: true,
  contentType: file.contentType,
  headers: {
    ETag: file.etag,
    "Cache-Control": file.isLasting ? "public, max-age=31536000, immutable" : "public, max-age=86400",
    "Content-Security-Policy": policy,
    "Cross-Origin-Resource-Policy": "same-origin",
  },
});
