import { hash } from "node:crypto";

/** What the log holds, by the field `kind` of a leaf. */
export type LeafKind =
  | "click.acceptance"
  | "click.decline"
  | "click.consent.granted"
  | "click.consent.renewed"
  | "click.consent.denied"
  | "click.consent.withdrawn"
  | "click.session.completed"
  | "click.version.published"
  | "click.erasure"
  | "click.restricted.opened"
  | "click.external.head";

/** What every leaf says. A leaf is canonical JSON (RFC 8785) and holds nothing personal: that is behind `_sd`. */
export interface LeafPayload {
  readonly v: 1;
  readonly kind: LeafKind;
  /** The installation that signed it. */
  readonly iss: string;
  /** The organization. */
  readonly org: string;
}

/** A leaf that waits for its place in the log. */
export interface SignedLeaf {
  /** Unique in the log: the receipt, the session that was completed, the publication, the erasure, the head. */
  readonly recordId: string;
  /** The exact bytes that were signed. */
  readonly leaf: Buffer;
  readonly leafHash: Buffer;
  /** Generation of the receipt key. */
  readonly signedBy: number;
  readonly signature: Buffer;
}

/** SHA-256(0x00 || leaf) (RFC 6962 §2.1). */
export const leafHashOf = (leaf: Uint8Array): Buffer => hash("sha256", Buffer.concat([leafPrefix, leaf]), "buffer");

const leafPrefix = Buffer.of(0);

/** How long after recording a leaf is in a published checkpoint at the latest (maximum merge delay), in milliseconds. */
export const integrationMs = 60_000;

/** Names of an installation's logs: the issuer without its scheme. */
export const logName = (issuer: string): string =>
  `${issuer.replace(/^https?:\/\//, "").replace(/\/+$/, "")}/click/log`;

/** The origin (C2SP tlog-checkpoint) of an organization's log, or of the anchor log. */
export const logOrigin = (issuer: string, organizationId: string): string =>
  organizationId === anchorLogId ? `${logName(issuer)}/anchor` : `${logName(issuer)}/${organizationId}`;

/** The organization id of the log that holds the checkpoints of all others. */
export const anchorLogId = "00000000-0000-0000-0000-000000000000";
