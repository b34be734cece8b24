import { hash, sign } from "node:crypto";
import { promisify } from "node:util";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";

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

/** A leaf as it is made: its payload, or the canonical JSON of it when that is known already. */
export interface LeafDraft {
  readonly recordId: string;
  readonly payload: LeafPayload | string;
}

/** Signs leaves with the receipt key (Ed25519, compact JWS, RFC 7515). */
export interface LeafSigner {
  /** One signed leaf per draft, in their order. Rejects only when no key was ever read. */
  sign(drafts: readonly LeafDraft[], now: Date): Promise<SignedLeaf[]>;
}

/** The `typ` of receipts and all other signed leaves. */
export const receiptTyp = "click-receipt+jws";

/** From here on signing would hold up the event loop for over a millisecond; threads sign, at a third more CPU. */
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

/** The same for many leaves of one key, whose header is made once. */
export const compactJws = (header: string, leaf: Buffer, signature: Buffer): string =>
  `${header}.${leaf.toString("base64url")}.${signature.toString("base64url")}`;

export const jwsHeader = ({ kid }: Pick<SigningKey, "kid">): string =>
  Buffer.from(JSON.stringify({ alg: "EdDSA", kid, typ: receiptTyp })).toString("base64url");
