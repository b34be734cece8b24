import type { Request } from "express";

const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Where clients reach this API: as configured, else where this request was sent, which proxies that are trusted may
 * tell. Empty for a Host that names none, so that links become relative.
 */
export function publicUrlOf(req: Pick<Request, "protocol" | "host">, configured: string): string {
  if (configured !== "") return configured;
  const { protocol, host } = req;
  return typeof host === "string" && host.length <= 255 && hostPattern.test(host) ? `${protocol}://${host}` : "";
}
