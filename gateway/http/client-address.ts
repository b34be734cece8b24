import { isIP } from "node:net";
import type { Request } from "express";

/**
 * The address that a request is from, as far as the proxies that are trusted tell it. A proxy may pass on a text that
 * is no address; then it is the proxy's own, so that nobody chooses what is counted, recorded and logged.
 */
export function clientAddressOf(req: Pick<Request, "ip" | "socket">): string {
  const told = plainAddress(req.ip ?? "");
  if (isIP(told) !== 0) return told;
  const withoutPort = withPort.exec(told.slice(0, 60));
  const address = withoutPort?.[1] ?? withoutPort?.[2] ?? "";
  return isIP(address) === 0 ? plainAddress(req.socket.remoteAddress ?? "") : plainAddress(address);
}

/** Some proxies tell the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withPort = /^(?:([\d.]+)|\[([\da-f:.]+)\])(?::\d+)?$/i;

/** An IPv4 client of a socket that listens on IPv6 looks like ::ffff:192.0.2.1. */
const plainAddress = (address: string): string => (/^::ffff:\d+\./i.test(address) ? address.slice(7) : address);
