import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";

/**
 * The bytes of a text: exactly what was given, in UTF-8. Unicode normalization, line endings and blanks are never
 * changed, because the bytes that are hashed and stored must be the bytes that are shown.
 */
export const contentBytes = (content: string): Buffer => Buffer.from(content, "utf8");

/** `sha256:<64 hex>` of the bytes. */
export const contentHash = (content: string | Uint8Array): string => sha256Label(content);

/** Everything of a version that a person sees, and so everything that makes a new revision when it changes. */
export interface ShownMaterial {
  readonly contentHash: string;
  readonly format: ContentFormat;
  readonly locale: string;
  readonly title: string | null;
  readonly texts: VersionTexts;
}

export type ContentFormat = "HTML" | "MARKDOWN" | "TEXT" | "PDF";

/** The words around the text. Absent ones are not stored, so that equal texts have equal JSON. */
export interface VersionTexts {
  readonly consentText?: string;
  readonly buttonText?: string;
  readonly declineText?: string;
  readonly checkboxText?: string;
  readonly linkText?: string;
  readonly purposeTexts?: Readonly<Record<string, string>>;
}

/** Equal for equal material, whatever the order of its parts. */
export function materialHash(material: ShownMaterial): string {
  const { contentHash, format, locale, title, texts } = material;
  return sha256Label(canonicalJson({ contentHash, format, locale, title, texts }));
}
