import { fileURLToPath } from "node:url";
import type { Logger } from "#platform/logger.ts";
import { type BuiltPage, loadBuiltPage } from "../built-page.ts";

/** Where the build leaves it. */
export const defaultSigningPageFolder = fileURLToPath(new URL("../../web/dist/signing", import.meta.url));

/** Undefined when it was not built; throws when it is required then. */
export const loadSigningPage = (
  folder: string,
  built: { readonly required: boolean; readonly logger: Logger },
): BuiltPage | undefined =>
  loadBuiltPage(folder, { ...built, name: "signing page", loss: "links to agreements lead nowhere" });
