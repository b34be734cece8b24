import { hash, sign } from "node:crypto";
import { promisify } from "node:util";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";

/** The kinds of leaves, by their member `kind`. */
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
  | "click.external.head"
  | "click.log.epoch";

/**
 * The common members of all leaves. A leaf is canonical JSON (RFC 8785) and contains no personal data; `_sd`
 * only commits to it.
 */
export interface LeafPayload {
  readonly v: 1;
  readonly kind: LeafKind;
  /** The installation that signed it. */
  readonly iss: string;
  /** The organization. */
  readonly org: string;
}

/** A leaf that has no position in the log yet. */
export interface SignedLeaf {
  /** Unique within the log: the id of the receipt, completed session, publication, erasure or external head. */
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

/**
 * The maximum merge delay: how long after recording a leaf appears in a published checkpoint at the latest, in
 * milliseconds.
 */
export const integrationMs = 60_000;

/** The name shared by an installation's logs: the issuer without its scheme. */
export const logName = (issuer: string): string =>
  `${issuer.replace(/^https?:\/\//, "").replace(/\/+$/, "")}/click/log`;

/**
 * The origin (C2SP tlog-checkpoint) of an organization's log, or of the anchor log. Each epoch of a log has its own:
 * what was signed under one origin is never contradicted under it. The first epoch may be given as null.
 */
export function logOrigin(issuer: string, organizationId: string, epoch: number | null = null): string {
  const name = `${logName(issuer)}/${organizationId === anchorLogId ? "anchor" : organizationId}`;
  return epoch === null || epoch === 1 ? name : `${name}/e${epoch}`;
}

/** The epoch that an origin of this log names; undefined when it is the origin of another log. */
export function epochOf(issuer: string, organizationId: string, origin: string): number | undefined {
  const name = logOrigin(issuer, organizationId);
  if (origin === name) return 1;
  const [, digits] = origin.startsWith(name) ? (/^\/e([1-9]\d{0,8})$/.exec(origin.slice(name.length)) ?? []) : [];
  return digits === undefined || digits === "1" ? undefined : Number(digits);
}

/** The time in a UUIDv7 (RFC 9562 §5.7) in milliseconds; NaN for other ids. */
export const idTime = (id: string): number =>
  id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;

/** The organization id of the anchor log, which holds the checkpoints of all other logs. */
export const anchorLogId = "00000000-0000-0000-0000-000000000000";

/** An unsigned leaf: its payload, or its canonical JSON when that is already known. */
export interface LeafDraft {
  readonly recordId: string;
  readonly payload: LeafPayload | string;
}

/** Signs leaves with the receipt key (Ed25519, compact JWS, RFC 7515). */
export interface LeafSigner {
  /** Returns one signed leaf per draft, in order. Rejects only when the keys were never loaded. */
  sign(drafts: readonly LeafDraft[], now: Date): Promise<SignedLeaf[]>;
}

/** The `typ` of receipts and all other signed leaves. */
export const receiptTyp = "click-receipt+jws";

/**
 * From this many leaves on, signing would block the event loop for over a millisecond, so threads do it, at a
 * third more CPU.
 */
const threadedFrom = 48;

const signInThread = promisify(sign);

export function createLeafSigner({ keys }: { readonly keys: SigningKeys }): LeafSigner {
  return {
    sign: async (drafts, now) => {
      if (drafts.length === 0) return [];
      const key = await keys.signingAt(now);
      const leaves = drafts.map(({ payload }) =>
        Buffer.from(typeof payload === "string" ? payload : canonicalJson(payload)),
      );
      const header = jwsHeader(key);
      const inputs = leaves.map((leaf) => Buffer.from(`${header}.${leaf.toString("base64url")}`));
      const signatures =
        inputs.length < threadedFrom
          ? inputs.map((input) => sign(null, input, key.privateKey))
          : await Promise.all(inputs.map((input) => signInThread(null, input, key.privateKey)));
      return drafts.map(({ recordId }, index) => {
        const leaf = leaves[index] as Buffer;
        const signature = signatures[index] as Buffer;
        return { recordId, leaf, leafHash: leafHashOf(leaf), signedBy: key.generation, signature };
      });
    },
  };
}

/** The compact JWS of a leaf. */
export const receiptJws = (key: Pick<SigningKey, "kid">, leaf: Buffer, signature: Buffer): string =>
  compactJws(jwsHeader(key), leaf, signature);

/** The same for many leaves of one key, whose header is built once. */
export const compactJws = (header: string, leaf: Buffer, signature: Buffer): string =>
  `${header}.${leaf.toString("base64url")}.${signature.toString("base64url")}`;

export const jwsHeader = ({ kid }: Pick<SigningKey, "kid">): string =>
  Buffer.from(JSON.stringify({ alg: "EdDSA", kid, typ: receiptTyp })).toString("base64url");
