import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "#platform/logger.ts";

/** A page in one file that is all of it: nothing is loaded from anywhere. */
export interface ServedPage {
  readonly page: ServedFile;
  /** For the policy of the page: nothing but these run and apply. */
  readonly pageHashes: { readonly script: string; readonly style: string };
}

/** The offline verifier of evidence bundles, ready to be served. */
export interface Verifier extends ServedPage {
  /** The same for Node. */
  readonly script: ServedFile;
}

export interface ServedFile {
  readonly source: string;
  readonly etag: string;
}

/** Where the build writes the page. */
export const defaultVerifierFolder = fileURLToPath(new URL("../web/dist", import.meta.url));

/** Undefined when it was not built. Throws when it is required. */
export function loadVerifier(
  folder: string,
  { required, logger }: { readonly required: boolean; readonly logger: Logger },
): Verifier | undefined {
  try {
    return { ...servedPage(join(folder, "verify.html")), script: served(join(folder, "verify-bundle.mjs")) };
  } catch (error) {
    if (required) throw new Error(`the verifier in ${folder} is missing; build it before the start`, { cause: error });
    logger.warn({ folder }, "the verifier of evidence was not built; its page is missing");
    return undefined;
  }
}

/** The page that checks sealed documents; undefined when it was not built, throws when it is required then. */
export function loadDocumentPage(
  folder: string,
  { required, logger }: { readonly required: boolean; readonly logger: Logger },
): ServedPage | undefined {
  try {
    return servedPage(join(folder, "verify-document.html"));
  } catch (error) {
    if (required) {
      throw new Error(`the page that checks documents is missing in ${folder}; build it before the start`, {
        cause: error,
      });
    }
    logger.warn({ folder }, "the page that checks documents was not built");
    return undefined;
  }
}

function servedPage(file: string): ServedPage {
  const page = served(file);
  return { page, pageHashes: { script: hashOf(page, "script"), style: hashOf(page, "style") } };
}

function served(file: string): ServedFile {
  const source = readFileSync(file, "utf8");
  return { source, etag: `"${createHash("sha256").update(source).digest("hex").slice(0, 32)}"` };
}

/** Of the content of the only such element, as browsers take it (CSP Level 3 §2.3.1). */
function hashOf({ source }: ServedFile, element: "script" | "style"): string {
  const found = [...source.matchAll(new RegExp(`<${element}[^>]*>(.*?)</${element}>`, "gs"))];
  const [, content] = found[0] ?? [];
  if (content === undefined || found.length > 1) throw new Error(`the page does not have exactly one ${element}`);
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
