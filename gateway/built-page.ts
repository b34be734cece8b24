import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
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
  /** The gzip-compressed file, if worthwhile; compressed on first request. */
  readonly gzip: (() => Promise<Uint8Array>) | undefined;
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
      const bytes = readFileSync(join(root, folder.name, file));
      const type = extname(file);
      yield [
        `${folder.name}/${file}`,
        {
          bytes,
          gzip: compressible.has(type) ? compressOnce(bytes) : undefined,
          contentType: contentTypes.get(type) ?? "application/octet-stream",
          etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`,
          isLasting: folder.name === lastingFolder,
        },
      ];
    }
  }
}

const gzip = promisify(gzipWithCallback);

function compressOnce(bytes: Uint8Array): () => Promise<Uint8Array> {
  let compressed: Promise<Uint8Array> | undefined;
  return () => {
    compressed ??= gzip(bytes);
    return compressed;
  };
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".ttf", "font/ttf"],
  [".wasm", "application/wasm"],
]);

const compressible: ReadonlySet<string> = new Set([".css", ".js", ".mjs"]);

interface FileRequest {
  /** The header of the request. */
  readonly acceptEncoding: string | string[] | undefined;
  /** The Content-Security-Policy of the file, for scripts that run in a worker. */
  readonly policy: string;
}

export async function pageFileReply(file: PageFile, { acceptEncoding, policy }: FileRequest): Promise<Reply> {
  const compressed = acceptsGzip(acceptEncoding) ? await file.gzip?.() : undefined;
  return {
    status: 200,
    body: compressed ?? file.bytes,
    contentType: file.contentType,
    headers: {
      // The ETag covers the file's content, however it is encoded.
      ETag: file.gzip === undefined ? file.etag : `W/${file.etag}`,
      ...(file.gzip === undefined ? {} : { Vary: "Accept-Encoding" }),
      ...(compressed === undefined ? {} : { "Content-Encoding": "gzip" }),
      "Cache-Control": file.isLasting ? "public, max-age=31536000, immutable" : "public, max-age=86400",
      "Content-Security-Policy": policy,
      "Cross-Origin-Resource-Policy": "same-origin",
    },
  };
}

/** Whether gzip is accepted, unlike with `gzip;q=0`. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = String(header ?? "")
    .slice(0, 1_000)
    .split(",")
    .map((coding) => coding.trim().toLowerCase());
  return codings.some((coding) => coding === "gzip" || (coding.startsWith("gzip;") && !coding.endsWith("q=0")));
}
