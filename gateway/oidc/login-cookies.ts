import { isUuid } from "#platform/ids.ts";
import { isHttps } from "../sessions/cookie.ts";
import type { LoginSecrets } from "./identity-provider.ts";

/** A sign-in that is under way at the provider. Only the browser that began it keeps it. */
export interface LoginUnderWay extends LoginSecrets {
  /** Where to go afterwards: a path below /dashboard. */
  readonly next: string;
  /** Empty while none was chosen. */
  readonly organizationId: string;
}

/** One of the organizations that somebody may sign in to. */
export interface OrganizationOption {
  readonly id: string;
  readonly name: string;
}

/** Long enough to find a second factor at the provider. */
const underWaySeconds = 10 * 60;
const choiceSeconds = 5 * 60;
const passkeySeconds = 5 * 60;
const maxTokenLength = 100;
/** Browsers keep no cookie of more than 4,096 bytes. */
const maxNameLength = 60;
const maxValueLength = 4_000;

export const underWayCookie = (login: LoginUnderWay, publicUrl: string): string =>
  setCookie("oidc", encode(login), underWaySeconds, publicUrl);

export const choiceCookie = (options: readonly OrganizationOption[], publicUrl: string): string =>
  setCookie(
    "oidc_choice",
    encode(options.map(({ id, name }) => ({ id, name: [...name].slice(0, maxNameLength).join("") }))),
    choiceSeconds,
    publicUrl,
  );

/** What a sign-in with a passkey is bound to. */
export const passkeyCookie = (token: string, publicUrl: string): string =>
  setCookie("passkey", encode(token), passkeySeconds, publicUrl);
export const noPasskeyCookie = (publicUrl: string): string => setCookie("passkey", "", 0, publicUrl);

/** Empty when the browser has begun none. */
export function readPasskeyToken(header: string | undefined, publicUrl: string): string {
  const token = readCookie(header, "passkey", publicUrl);
  return typeof token === "string" ? token.slice(0, maxTokenLength) : "";
}

/** Removes the cookie of a sign-in that has ended. */
export const noUnderWayCookie = (publicUrl: string): string => setCookie("oidc", "", 0, publicUrl);
export const noChoiceCookie = (publicUrl: string): string => setCookie("oidc_choice", "", 0, publicUrl);

/** Undefined when the browser has no sign-in under way. */
export function readUnderWay(header: string | undefined, publicUrl: string): LoginUnderWay | undefined {
  const { state, nonce, verifier, next, organizationId } = asRecord(readCookie(header, "oidc", publicUrl));
  const texts = { state, nonce, verifier, next, organizationId };
  return Object.values(texts).every((value) => typeof value === "string") ? (texts as LoginUnderWay) : undefined;
}

/** The organizations to choose from; empty when there are none. */
export function readChoice(header: string | undefined, publicUrl: string): OrganizationOption[] {
  const value = readCookie(header, "oidc_choice", publicUrl);
  if (!Array.isArray(value)) return [];
  return value.map(asRecord).flatMap(({ id, name }) => {
    return typeof id === "string" && isUuid(id) && typeof name === "string" ? [{ id, name }] : [];
  });
}

/** The prefix prevents other hosts of the same site from setting the cookie (login CSRF). */
const nameOf = (name: string, publicUrl: string): string => `${isHttps(publicUrl) ? "__Host-" : ""}assent_${name}`;

function setCookie(name: string, value: string, seconds: number, publicUrl: string): string {
  const secure = isHttps(publicUrl) ? "; Secure" : "";
  // Lax, because the provider redirects the browser back.
  return `${nameOf(name, publicUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

function readCookie(header: string | undefined, name: string, publicUrl: string): unknown {
  const start = `${nameOf(name, publicUrl)}=`;
  const pair = (header ?? "").split("; ").find((text) => text.startsWith(start));
  const value = pair?.slice(start.length) ?? "";
  if (value === "" || value.length > maxValueLength) return undefined;
  try {
    return JSON.parse(Buffer.from(value, "base64url").toString());
  } catch {
    return undefined;
  }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
