import { invalid, problem } from "../agreement/problems.ts";
import { hostNameOf, isHostName, type Proven, type WantedRecord } from "../sender-domains/sender-domain.ts";

/** A host name that pages of an organization are at while it is verified. */
export interface PageHost extends Proven {
  /** In ASCII and lower case. */
  readonly host: string;
  /** Proves that who sets it has read it here. */
  readonly token: string;
  /** Who added it, as callers are named. */
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** The record to set. */
export const recordsOf = ({ host, token }: Pick<PageHost, "host" | "token">): WantedRecord[] => [
  { purpose: "proof", name: `_assent-pages.${host}`, value: `assent-pages=${token}`, isRequired: true },
];

/** Throws VALIDATION_FAILED. */
export function checkedHost(given: string): string {
  const host = hostNameOf(given);
  // The name of its record is longer, and names have at most 253 characters.
  if (isHostName(host) && host.length <= maxHostLength) return host;
  throw invalid(problem("host", "INVALID_HOST", "must be a host name such as agreements.example.com"));
}

const maxHostLength = 200;
