import { isIPv4, isIPv6 } from "node:net";
import type { CaptureMode, Policy } from "../terms/policy.ts";
import type { ClaimedContext } from "./accept-body.ts";

/** The caller's network address and headers, as the gateway saw them. */
export interface ObservedContext {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** The part of the end user's context that may be stored. */
export function captureClaimed(context: ClaimedContext | undefined, policy: Policy): ClaimedContext | null {
  if (context === undefined) return null;
  const { ip, userAgent, pageUrl, pageTitle, referrer, acceptLanguage, timezone, gpc } = context;
  return {
    ip: capture(ip, policy.captureIp, truncateIp) ?? undefined,
    userAgent: capture(userAgent, policy.captureUserAgent, truncateUserAgent) ?? undefined,
    pageUrl,
    pageTitle,
    referrer: capture(referrer, policy.captureReferrer, originOf) ?? undefined,
    acceptLanguage,
    timezone,
    gpc,
  };
}

/** The part of the caller's context that may be stored. With a browser widget the caller is the end user. */
export const captureObserved = (ip: string, userAgent: string, policy: Policy): ObservedContext => ({
  ip: capture(ip, policy.captureIp, truncateIp),
  userAgent: capture(userAgent, policy.captureUserAgent, truncateUserAgent),
});

function capture(value: string | undefined, mode: CaptureMode, truncate: (value: string) => string | null) {
  if (value === undefined || value === "" || mode === "NONE") return null;
  return mode === "FULL" ? value : truncate(value);
}

/** Truncates to the network: /24 for IPv4, /48 for IPv6. */
export function truncateIp(ip: string): string | null {
  if (isIPv4(ip)) return `${ip.split(".").slice(0, 3).join(".")}.0`;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return truncateIp(mapped);
  if (!isIPv6(ip)) return null;
  const [head = "", tail] = (ip.split("%")[0] as string).split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill("0"), ...(tail ?? "").split(":")];
  return `${all
    .slice(0, 3)
    .map((group) => (group === "" ? "0" : group.toLowerCase()))
    .join(":")}::`;
}

/** Keeps product names and major versions; the parts in brackets identify the device. */
export function truncateUserAgent(userAgent: string): string {
  let depth = 0;
  let kept = "";
  for (const char of userAgent) {
    if (char === "(") depth += 1;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += char;
  }
  return kept
    .replaceAll(/(\d+)[\d._]*/g, (_, major: string) => major)
    .replaceAll(/\s+/g, " ")
    .trim();
}

const originOf = (url: string): string | null => {
  const origin = URL.parse(url)?.origin;
  return origin === undefined || origin === "null" ? null : origin;
};
