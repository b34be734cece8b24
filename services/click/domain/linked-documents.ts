import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Terms } from "./terms.ts";

/** A document that belongs to a STATIC text and is shown beside it. */
export interface LinkedDocument {
  readonly name: string;
  readonly url: string | null;
  /** Of the bytes behind the url, as its author says. */
  readonly contentHash: string | null;
  readonly mustRead: boolean;
}

/** In the order in which they are shown. */
export function linkedDocuments({ type, typeConfig }: Pick<Terms, "type" | "typeConfig">): LinkedDocument[] {
  const documents = type === "STATIC" && Array.isArray(typeConfig.documents) ? typeConfig.documents : [];
  return documents
    .filter(isObject)
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .map(({ name, url, contentHash, mustRead }) => ({
      name: textOf(name) ?? "",
      url: textOf(url),
      contentHash: textOf(contentHash),
      mustRead: mustRead === true,
    }));
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Those without a place come last, in the order in which they were given. */
const orderOf = ({ order }: JsonObject): number => (typeof order === "number" ? order : Number.MAX_SAFE_INTEGER);

const textOf = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);
