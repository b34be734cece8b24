import type { FieldProblem } from "#platform/errors.ts";
import { repetitions } from "./repetitions.ts";
import {
  closedObject,
  described,
  flag,
  httpsUrl,
  type JsonSchema,
  listOf,
  oneOf,
  text,
  topLevel,
} from "./schema-parts.ts";

/** Configuration of a STATIC template. */
export interface StaticConfig {
  readonly documents?: readonly LinkedDocument[];
  readonly displayMode?: "INLINE" | "MODAL" | "LINK" | "FULL_PAGE";
  readonly downloadable: boolean;
}

/** A document that belongs to the text and is shown beside it. */
export interface LinkedDocument {
  readonly name: string;
  readonly order?: number;
  readonly url?: string;
  readonly contentHash?: string;
  readonly mustRead: boolean;
}

const document = closedObject(
  {
    name: described(text(255), "Unique; presentation.documentsOpened of an acceptance names it."),
    order: described({ type: "integer", minimum: 0, maximum: 1000 }, "Lower ones come first."),
    url: httpsUrl,
    contentHash: described(
      { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
      "Of the bytes behind the url, so that a later change of them can be proved.",
    ),
    mustRead: flag(false),
  },
  ["name"],
);

export const staticSchema: JsonSchema = topLevel(
  "Configuration of a STATIC template",
  closedObject({
    documents: described(listOf(document, 50), "Documents that belong to the text."),
    displayMode: described(oneOf("INLINE", "MODAL", "LINK", "FULL_PAGE"), "How the text is meant to be shown."),
    downloadable: described(flag(true), "Whether the person may download the text."),
  }),
);

/** What a schema cannot say. */
export const staticProblems = (config: StaticConfig): FieldProblem[] =>
  repetitions("documents", "name", config.documents ?? []);
