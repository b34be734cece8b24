/** Over https the prefix keeps other hosts of the same site from setting the cookie (RFC 6265bis §4.1.3.2). */
const nameOf = (isHttps: boolean): string => (isHttps ? "__Host-assent_session" : "assent_session");

/** What is known of a request that carries the cookie: where clients reach this API. */
export const isHttps = (publicUrl: string): boolean => publicUrl.startsWith("https:");

const attributes = (isSecure: boolean): string => `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/** The header Set-Cookie that gives a browser a session. */
export const sessionCookie = (token: string, expiresAt: Date, publicUrl: string): string => {
  const isSecure = isHttps(publicUrl);
  return `${nameOf(isSecure)}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes(isSecure)}`;
};

/** The header Set-Cookie that takes it away. */
export const noSessionCookie = (publicUrl: string): string => {
  const isSecure = isHttps(publicUrl);
  return `${nameOf(isSecure)}=; Max-Age=0; ${attributes(isSecure)}`;
};

/** No browser sends more. */
const maxHeaderLength = 16_384;

/** The value of the session's cookie in a header Cookie; undefined when there is none. */
export function sessionTokenIn(header: string | undefined, publicUrl: string): string | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const start = `${nameOf(isHttps(publicUrl))}=`;
  const pair = header
    .split(";")
    .map((text) => text.trim())
    .find((text) => text.startsWith(start));
  return pair?.slice(start.length);
}
