import { plainTextToHtml } from "#platform/restricted-html/plain-text.ts";
import { unsafeCharacter } from "#platform/restricted-html/unsafe-characters.ts";
import { decodeText } from "./decode-text.ts";
import { htmlToRestricted } from "./html-to-restricted.ts";

/** The restricted HTML that shows a file of HTML or of text. Empty when there is nothing to show. */
export function documentToHtml(bytes: Uint8Array, type: "html" | "text"): string {
  // New pages of printed texts; all other characters that nobody sees are dropped.
  const text = decodeText(bytes).replaceAll("\f", "\n\n").replaceAll(unsafeCharacter, "");
  return type === "html" ? htmlToRestricted(text) : plainTextToHtml(text);
}
