import { decodeJwt, type JWTPayload } from "jose";
import pg from "pg";
import { parseOrgId } from "#platform/ids.ts";
import { activeKey } from "#platform/key-schedule.ts";
import { type KeyRing, parseMasterKeys } from "#platform/secrets.ts";
import { signAccessToken, type TokenIssuer, type TokenSubject } from "../../services/auth/domain/access-token.ts";
import { deriveKeys } from "../../services/auth/domain/secrets.ts";
import { makeSealedKey, type OpenKey, openSealedKey } from "../../services/auth/domain/signing-key.ts";
import { listSigningKeys } from "../../services/auth/store/token-store.ts";
import type { System } from "./system.ts";

/** Makes tokens that differ from a genuine one in what is named. */
export interface TokenForge {
  /** Signed by the installation's own key. */
  genuine(changes?: { readonly issuer?: Partial<TokenIssuer>; readonly issuedAt?: Date }): Promise<string>;
  /** Signed by a key of somebody else that calls itself by the id of the installation's key. */
  foreign(): Promise<string>;
  /** With no signature at all (`alg: none`). */
  unsigned(): string;
}

/** Opens the signing key of a system as its auth service does, with its master key and database. */
export async function createTokenForge(system: System, model: string): Promise<TokenForge> {
  const keys = parseMasterKeys(system.authMasterKey);
  const kek = deriveKeys(keys, () => keys[0]).signingKeyKek;
  const key = await readActiveKey(system.inspectUrl, kek);
  const claims = decodeJwt(model);
  const issuer: TokenIssuer = { issuer: String(claims.iss), audience: String(claims.aud) };
  const subject = subjectOf(claims);
  return {
    genuine: ({ issuer: changed = {}, issuedAt = new Date() } = {}) =>
      signAccessToken({ ...issuer, ...changed }, key, subject, issuedAt),
    foreign: async () => {
      const other = await openSealedKey(kek, await makeSealedKey(kek));
      return signAccessToken(issuer, { ...other, kid: key.kid }, subject, new Date());
    },
    unsigned: () => {
      const parts = [{ alg: "none", typ: "at+jwt", kid: key.kid }, claims];
      return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
    },
  };
}

async function readActiveKey(inspectUrl: string, kek: KeyRing): Promise<OpenKey> {
  const pool = new pg.Pool({ connectionString: inspectUrl, max: 1 });
  try {
    const sealed = activeKey(await listSigningKeys(pool), new Date());
    if (sealed === undefined) throw new Error("the installation has no signing key yet");
    return await openSealedKey(kek, sealed);
  } finally {
    await pool.end();
  }
}

/** The client's token with an id that no revocation names. */
function subjectOf({ org_id: organizationId, client_id: clientId, scope }: JWTPayload): TokenSubject {
  const orgId = parseOrgId(String(organizationId));
  if (orgId === undefined) throw new Error("the model has no organization");
  const tokenId = crypto.randomUUID();
  return { tokenId, orgId, clientId: String(clientId), scopes: String(scope).split(" ") };
}
