import { createPublicKey, verify } from "node:crypto";
import { type ClickHarness, rows } from "../../test/harness.ts";

interface SignedLeaf {
  readonly kind: string;
  readonly leafIndex: number;
  /** The exact bytes. */
  readonly leaf: Buffer;
}

/** The log of an organization, in its order. */
export const leavesOf = (click: ClickHarness, organizationId: string): Promise<SignedLeaf[]> =>
  rows<SignedLeaf>(
    click,
    `select convert_from(leaf, 'UTF8')::json ->> 'kind' as kind, leaf_index::integer as "leafIndex", leaf
     from click.log_leaf where organization_id = $1 order by leaf_index`,
    [organizationId],
  );

/** The bytes of the leaf that was signed; throws unless a receipt key of this installation signed it. */
export async function verifyLeafJws(click: ClickHarness, jws: string): Promise<Buffer> {
  const [header = "", payload = "", signature = ""] = jws.split(".");
  const { kid, ...rest } = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
  if (JSON.stringify(rest) !== '{"alg":"EdDSA","typ":"click-receipt+jws"}') throw new Error(`the header is ${header}`);
  const [key] = await rows<{ x: Buffer }>(
    click,
    "select public_key as x from click.signing_key where purpose = 'receipt' and kid = $1",
    [kid],
  );
  if (key === undefined) throw new Error(`there is no receipt key ${kid}`);
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.x.toString("base64url") };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const isSigned = verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, "base64url"));
  if (!isSigned) throw new Error("the signature is not that of the key");
  return Buffer.from(payload, "base64url");
}
