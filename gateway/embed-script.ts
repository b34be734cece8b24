import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Logger } from "#platform/logger.ts";

/** The script that customers' pages embed, ready to be served. */
export interface EmbedScript {
  readonly source: string;
  /** Names this very script in its lasting address: 32 hex digits. */
  readonly hash: string;
  /** For the integrity attribute of a script element. */
  readonly integrity: string;
}

/** Where the build of the script leaves it. */
export const defaultEmbedScriptFile = fileURLToPath(new URL("../web/dist/embed.js", import.meta.url));

/** Undefined when it was not built. Throws when it is required. */
export function loadEmbedScript(
  file: string,
  { required, logger }: { readonly required: boolean; readonly logger: Logger },
): EmbedScript | undefined {
  let source: string;
  try {
    source = readFileSync(file, "utf8");
  } catch (error) {
    if (required) throw new Error(`the embed script ${file} is missing; build it before the start`, { cause: error });
    logger.warn({ file }, "the embed script was not built; pages that embed it do not work");
    return undefined;
  }
  const digest = createHash("sha256").update(source).digest();
  return {
    source,
    hash: digest.toString("hex").slice(0, 32),
    integrity: `sha256-${digest.toString("base64")}`,
  };
}
