import { fail } from "./problem.ts";
import { isoTime } from "./read.ts";

/** When something existed at the latest, by the clock of an authority that the key file trusts. */
export interface ProvenTime {
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * Fails unless a trusted time stamp proves that what a key has signed is older than its revocation: a stolen key signs
 * whatever time its thief likes, so only somebody else's clock counts.
 */
export function requireProvenBefore(who: string, revokedAt: number, proven: ProvenTime | undefined): void {
  const revoked = `${who} was revoked as of ${isoTime(revokedAt)}`;
  if (proven === undefined) fail(`${revoked}, and no trusted time stamp proves that the signature is older`);
  if (proven.time >= revokedAt) {
    fail(`${revoked}, and the time stamp of ${isoTime(proven.time)} does not prove that the signature is older`);
  }
}

/** The end of a message about a signature by such a key. */
export const provenOlder = (revokedAt: number): string =>
  `Its key was revoked as of ${isoTime(revokedAt)}, but a trusted time stamp proves that the signature is older.`;
