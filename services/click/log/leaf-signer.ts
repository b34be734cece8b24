import { sign } from "node:crypto";
import { promisify } from "node:util";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";
import { type LeafPayload, leafHashOf, type SignedLeaf } from "./leaf.ts";

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
