import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { hashKeyContext } from "#platform/master-keys/hash-key.ts";
import { decryptBytes, parseMasterKeys } from "#platform/secrets.ts";
import { deriveKeys } from "../../services/auth/domain/secrets.ts";
import { openSealedKey as openTokenKey } from "../../services/auth/domain/signing-key.ts";
import type { KeyPurpose } from "../../services/click/keys/key-schedule.ts";
import { openSealedKey, type SealedKey, signingKeyKek } from "../../services/click/keys/sealed-columns.ts";
import { logOrigin } from "../../services/click/log/leaf.ts";
import { endpointSecretsKeys, openSecret } from "../../services/webhooks/domain/seal-secret.ts";
import { type Finding, ok, reasonOf, skipped, wrong } from "./finding.ts";
import type { Installation } from "./installation.ts";
import { roleOf } from "./roles.ts";

/** Whether the master keys and the issuer are those that the database was made with: something is opened with each. */
export async function checkKeys(installation: Installation, url: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, program, suffix, open } of checks) {
    const value = installation.has(program) ? installation.text(name) : undefined;
    if (value === undefined) continue;
    const role = roleOf(installation, program);
    const pool = createPool({
      url,
      name: "assent-doctor",
      max: 1,
      ...(role !== undefined && { role: role + suffix }),
    });
    findings.push(await check(name, () => open(pool, value)));
    await pool.end();
  }
  return findings;
}

/** "none" when nothing is stored yet. */
type Outcome = "matches" | "differs" | "none";

interface Check {
  readonly name: string;
  readonly program: string;
  readonly suffix: string;
  open(pool: pg.Pool, value: string): Promise<Outcome>;
}

const checks: readonly Check[] = [
  { name: "AUTH_MASTER_KEY", program: "auth", suffix: "_lookup", open: openWithAuthKey },
  { name: "CLICK_MASTER_KEY", program: "click", suffix: "", open: openWithClickKey },
  { name: "SIGN_MASTER_KEY", program: "sign", suffix: "", open: openWithSignKey },
  { name: "WEBHOOKS_MASTER_KEY", program: "webhooks", suffix: "_sender", open: openWithWebhooksKey },
  { name: "EVIDENCE_ISSUER", program: "click", suffix: "_integrator", open: compareIssuer },
];

async function check(name: string, open: () => Promise<Outcome>): Promise<Finding> {
  try {
    const outcome = await open();
    if (outcome === "matches") return ok(name, "it is the one that the database was made with");
    if (outcome === "none") return ok(name, "nothing in the database depends on it yet");
    return wrong(
      name,
      "it is not the one that the database was made with",
      "Put the former one back, from where you keep your secrets: docs/operations.md, Keys.",
    );
  } catch (error) {
    return skipped(name, `whether it fits could not be found out: ${reasonOf(error)}`);
  }
}

async function openWithAuthKey(pool: pg.Pool, value: string): Promise<Outcome> {
  const { rows } = await pool.query<{ kid: string; privateJwk: Buffer }>(
    'select kid, private_jwk as "privateJwk" from auth.signing_key order by generation desc limit 1',
  );
  return opens(rows, async (row) => {
    const keys = parseMasterKeys(value);
    await openTokenKey(deriveKeys(keys, () => keys[0]).signingKeyKek, row as never);
  });
}

async function openWithClickKey(pool: pg.Pool, value: string): Promise<Outcome> {
  const { rows } = await pool.query<SealedKey & { readonly purpose: KeyPurpose }>(
    `select purpose, kid, public_key as "publicKey", private_key as "privateKey" from click.signing_key
     order by created_at desc limit 1`,
  );
  const masterKeys = parseMasterKeys(value, { takesAnySpelling: true });
  return opens(rows, async (row) => {
    openSealedKey(signingKeyKek(masterKeys, row.purpose), row);
  });
}

async function openWithSignKey(pool: pg.Pool, value: string): Promise<Outcome> {
  const { rows } = await pool.query<{ sealed: Buffer }>("select sealed from sign.hash_key");
  return opens(rows, async ({ sealed }) => {
    decryptBytes(parseMasterKeys(value), sealed, hashKeyContext);
  });
}

async function openWithWebhooksKey(pool: pg.Pool, value: string): Promise<Outcome> {
  const { rows } = await pool.query<{ orgId: OrgId; id: string; secret: Buffer }>(
    'select organization_id as "orgId", id, secret from webhooks.endpoint where secret is not null limit 1',
  );
  return opens(rows, async ({ orgId, id, secret }) => {
    openSecret(endpointSecretsKeys(parseMasterKeys(value)), orgId, id, secret);
  });
}

async function opens<T>(rows: readonly T[], open: (row: T) => Promise<void>): Promise<Outcome> {
  const [row] = rows;
  if (row === undefined) return "none";
  return open(row).then(
    () => "matches",
    () => "differs",
  );
}

async function compareIssuer(pool: pg.Pool, value: string): Promise<Outcome> {
  const { rows } = await pool.query<{ orgId: OrgId; origin: string }>(
    `select organization_id as "orgId", split_part(note, e'\\n', 1) as origin from click.log_checkpoint
     where organization_id <> '00000000-0000-0000-0000-000000000000' limit 1`,
  );
  return opens(rows, async ({ orgId, origin }) => {
    if (logOrigin(value, orgId) !== origin) throw new Error("another issuer");
  });
}
