import { randomFillSync } from "node:crypto";

// W3C Trace Context: version-traceid-parentid-flags, lower-case hex, ids not all zero, version not ff.
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** True for a traceparent header of version 00 as W3C Trace Context defines it. */
export const isTraceparent = (value: string): boolean => value.length === 55 && traceparentPattern.test(value);

/** A new trace with the sampled flag off: whoever samples decides downstream. */
export const newTraceparent = (): string => `00-${randomHex(16)}-${randomHex(8)}-00`;

/** The traceparent of our own span in the caller's trace; a new trace when the caller sent none or a malformed one. */
export function continueTrace(incoming: string | undefined): string {
  if (incoming === undefined || !isTraceparent(incoming)) return newTraceparent();
  return `00-${incoming.slice(3, 35)}-${randomHex(8)}-${incoming.slice(53)}`;
}

/** The 32 hex digits of the trace id. */
export const traceId = (traceparent: string): string => traceparent.slice(3, 35);

/** True for a well-formed traceparent whose trace is recorded. */
export const isSampled = (traceparent: string | undefined): traceparent is string =>
  traceparent !== undefined && isTraceparent(traceparent) && (Number.parseInt(traceparent.slice(53), 16) & 1) === 1;

/** The recorded trace that an event in its JSON form belongs to. */
export function sampledTraceIn(event: string): string | undefined {
  // Nearly all events belong to none, and to look for it costs far less than to read them.
  if (!event.includes('"traceparent"')) return undefined;
  try {
    const { traceparent } = JSON.parse(event) as { readonly traceparent?: unknown };
    return typeof traceparent === "string" && isSampled(traceparent) ? traceparent : undefined;
  } catch {
    return undefined;
  }
}

const pool = Buffer.allocUnsafe(4096);
let poolOffset = pool.length;

/** Asking the system for random bytes costs far more than the rest of a traceparent, so one answer serves many. */
function randomHex(bytes: number): string {
  if (poolOffset + bytes > pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += bytes;
  return pool.toString("hex", poolOffset - bytes, poolOffset);
}
