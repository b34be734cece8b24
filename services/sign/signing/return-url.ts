import { DomainError } from "#platform/errors.ts";
import { problem, refuse } from "../agreement/problems.ts";

const maxReturnUrlLength = 470;

/**
 * Where a browser is led back to: an absolute https URL without user info; in a sandbox organization also http on the
 * developer's own machine. Answers it as it was given. Throws INVALID_RETURN_URL.
 */
export function requireReturnUrl(text: string, { isSandbox }: { readonly isSandbox: boolean }): string {
  if (!isReturnUrl(text, isSandbox)) throw new DomainError("INVALID_RETURN_URL");
  return text;
}

function isReturnUrl(text: string, isSandbox: boolean): boolean {
  // Parsers skip spaces and line breaks, and browsers read \ as /: such a URL would not lead where it seems to.
  if (text.length === 0 || text.length > maxReturnUrlLength || !isPlain(text)) return false;
  if (!/^https?:\/\//i.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || text.slice(0, authorityEnd(text)).includes("@")) {
    return false;
  }
  return url.protocol === "https:" || (isSandbox && isOwnMachine(url));
}

/** The URL with what has happened appended to its query, which stays as it is. An empty URL stays empty. */
export function withEvent(returnUrl: string, event: ReturnEvent, agreementId?: string): string {
  if (returnUrl === "") return "";
  const hash = returnUrl.indexOf("#");
  const [base, fragment] = hash < 0 ? [returnUrl, ""] : [returnUrl.slice(0, hash), returnUrl.slice(hash)];
  const about = agreementId === undefined ? "" : `&envelopeId=${agreementId}`;
  return `${base}${separatorAfter(base)}event=${event}${about}${fragment}`;
}

export type ReturnEvent =
  | "signing_complete"
  | "viewing_complete"
  | "decline"
  | "cancel"
  | "session_timeout"
  | "ttl_expired"
  | "send"
  | "save";

function separatorAfter(base: string): string {
  if (!base.includes("?")) return "?";
  return base.endsWith("?") || base.endsWith("&") ? "" : "&";
}

/** Where a page that shows ours may come from: an https origin; in a sandbox also http on the developer's machine. */
export function requireFrameAncestors(
  origins: readonly string[],
  { isSandbox }: { readonly isSandbox: boolean },
): readonly string[] {
  const wrong = origins.flatMap((origin, index) => (isOrigin(origin, isSandbox) ? [] : [`frameAncestors[${index}]`]));
  refuse(wrong.map((field) => problem(field, "INVALID_ORIGIN", "must be an https origin, without a path")));
  // As the URL writes them: they become part of a header.
  return [...new Set(origins.map((origin) => new URL(origin).origin))];
}

function isOrigin(text: string, isSandbox: boolean): boolean {
  if (text.length > maxReturnUrlLength || !isReturnUrl(text, isSandbox)) return false;
  const { origin, href, hostname } = new URL(text);
  // A wildcard, a quote or a semicolon would change what the header says.
  if (!/^[a-z0-9.:[\]-]+$/.test(hostname)) return false;
  return href === `${origin}/` && !text.includes("?") && !text.includes("#");
}

const isOwnMachine = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && (hostname === "localhost" || hostname === "127.0.0.1");

/** Printable ASCII and letters of other scripts, but neither spaces nor backslashes. */
function isPlain(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0x20 || (code >= 0x7f && code <= 0xa0) || character === "\\") return false;
  }
  return text.isWellFormed();
}

/** Where the part with host and port ends. */
function authorityEnd(text: string): number {
  const start = text.indexOf("//") + 2;
  const end = ["/", "?", "#"].map((mark) => text.indexOf(mark, start)).filter((at) => at >= 0);
  return Math.min(text.length, ...end);
}
