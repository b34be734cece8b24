import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "#platform/logger.ts";

/** The built signing page, ready to be served. */
export interface SigningPage {
  readonly html: string;
  /** What the page loads, by `folder/file`. */
  readonly files: ReadonlyMap<string, PageFile>;
}

export interface PageFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly etag: string;
  /** Whether its name holds the hash of what is in it. */
  readonly isLasting: boolean;
}

/** Where the build leaves it. */
export const defaultSigningPageFolder = fileURLToPath(new URL("../../web/dist/signing", import.meta.url));

/** Undefined when it was not built; throws when it is required then. */
export function loadSigningPage(
  folder: string,
  { required, logger }: { readonly required: boolean; readonly logger: Logger },
): SigningPage | undefined {
  try {
    return { html: readFileSync(join(folder, "index.html"), "utf8"), files: new Map(filesIn(folder)) };
  } catch (error) {
    if (required)
      throw new Error(`the signing page in ${folder} is missing; build it before the start`, { cause: error });
    logger.warn({ folder }, "the signing page was not built; links to agreements lead nowhere");
    return undefined;
  }
}

/** Where the build puts what it names by its hash. */
const lastingFolder = "code";

function* filesIn(root: string): Iterable<[string, PageFile]> {
  for (const folder of readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const file of readdirSync(join(root, folder.name))) {
      const bytes = readFileSync(join(root, folder.name, file));
      yield [
        `${folder.name}/${file}`,
        {
          bytes,
          contentType: contentTypes.get(extname(file)) ?? "application/octet-stream",
          etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`,
          isLasting: folder.name === lastingFolder,
        },
      ];
    }
  }
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".ttf", "font/ttf"],
  [".wasm", "application/wasm"],
]);
