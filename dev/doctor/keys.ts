import type pg from "pg";
import type { ListLogEpochsResponse } from "#gen/assent/click/v1/click_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { hashKeyContext } from "#platform/master-keys/hash-key.ts";
import { decryptBytes, parseMasterKeys } from "#platform/secrets.ts";
import { createLogWitness, type LogWitness, WitnessError } from "#platform/transparency/witness.ts";
import { deriveKeys } from "../../services/auth/domain/secrets.ts";
import { openSealedKey as openTokenKey } from "../../services/auth/domain/signing-key.ts";
import { openSealedKey, type SealedKey, signingKeyKek } from "../../services/click/keys/sealed-columns.ts";
import type { KeyPurpose } from "../../services/click/keys/signing-key-store.ts";
import { countEpochs, findWitness } from "../../services/click/log/epoch-store.ts";
import { hasCheckpoint, suspectLogs } from "../../services/click/log/epochs.ts";
import { epochOf } from "../../services/click/log/leaf.ts";
import { readMarker, requireSame } from "../../services/click/log/log-memory.ts";
import { endpointSecretsKeys, openSecret } from "../../services/webhooks/domain/seal-secret.ts";
import { type Finding, type Installation, notice, ok, reasonOf, skipped, wrong } from "./finding.ts";
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

const witnessCheck = "log witness";
const witnessRemedy = "Until it can be used, no checkpoint is signed: docs/operations.md, LogWitnessFails.";

/** Whether the logs have a witness outside the database, and the database has what it knows. */
export async function checkLogWitness(installation: Installation, url: string): Promise<Finding[]> {
  if (!installation.has("click")) return [];
  const role = roleOf(installation, "click");
  const connection = { url, name: "assent-doctor", max: 1, ...(role !== undefined && { role: `${role}_integrator` }) };
  const pool = createPool(connection);
  const place = installation.text("LOG_WITNESS");
  const witness = place === undefined ? undefined : createLogWitness(place, installation.text("NATS_URL") ?? "");
  try {
    const { unconfirmed } = await countEpochs(pool);
    return [witness === undefined ? noWitness : await compareWitness(pool, witness), ...unconfirmedEpochs(unconfirmed)];
  } catch (error) {
    if (!(error instanceof WitnessError)) return [skipped(witnessCheck, reasonOf(error))];
    return [wrong(witnessCheck, reasonOf(error), witnessRemedy)];
  } finally {
    await witness?.close();
    await pool.end();
  }
}

/** What an operator has not taken note of yet. */
const unconfirmedEpochs = (count: number): Finding[] =>
  count === 0 ? [] : [wrong(witnessCheck, `${count} epochs of logs are not confirmed`, wentBack)];

/** The same of a running click service, which compares the logs with their witness itself. */
export function epochsOfRunning({ witness, unconfirmed, setbacks }: ListLogEpochsResponse): Finding[] {
  const waiting = setbacks.filter(({ confirmedAt }) => confirmedAt === undefined).map(({ service }) => service);
  const says = `no one has confirmed that a database or NATS went back in time, as ${waiting.join(", ")} found: nothing is deleted at the end of its retention period`;
  const found = [
    ...unconfirmedEpochs(unconfirmed),
    ...(waiting.length === 0 ? [] : [wrong("setbacks", says, "docs/operations.md, EventsBeganAnew.")]),
  ];
  if (witness === undefined) return [noWitness, ...found];
  if (witness.problem !== "") return [wrong(witnessCheck, witness.problem, witnessRemedy), ...found];
  return found.length > 0 ? found : [ok(witnessCheck, "no epoch of a log waits for confirmation")];
}

const wentBack = "docs/operations.md, EvidenceWentBack.";
const noWitness = notice(
  witnessCheck,
  "nothing outside the database knows what the logs have signed",
  "Set LOG_WITNESS: after a restore the logs would sign a second history (docs/operations.md, The witness of the logs).",
);

async function compareWitness(pool: pg.Pool, witness: LogWitness): Promise<Finding> {
  const known = await findWitness(pool);
  // A database that knows none takes the one that is there.
  if (known !== undefined) requireSame(known.marker, await readMarker(witness));
  const damaged: string[] = [];
  const behind: string[] = [];
  for await (const { logId, checkpoint } of suspectLogs(pool, witness, (error) => damaged.push(error.logId ?? ""))) {
    const client = await pool.connect();
    const isBehind = !(await hasCheckpoint(client, logId, checkpoint).finally(() => client.release()));
    if (isBehind) behind.push(logId);
  }
  if (damaged.length > 0) {
    return wrong(
      witnessCheck,
      `its copy of ${damaged.length} logs is damaged: ${damaged[0]}`,
      "EvidenceContradictsItself.",
    );
  }
  if (behind.length === 0) return ok(witnessCheck, "the database has everything that the logs have signed");
  const says = `the database lacks what ${behind.length} logs have signed, so it is older`;
  return wrong(witnessCheck, says, `click will open new epochs of these logs: ${wentBack}`);
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
    if (outcome === "matches") return ok(name, "it is the key that the database was created with");
    if (outcome === "none") return ok(name, "nothing in the database depends on it yet");
    return wrong(
      name,
      "it is not the key that the database was created with",
      "Restore the original key from your secret store: docs/operations.md, Keys.",
    );
  } catch (error) {
    return skipped(name, `it could not be checked: ${reasonOf(error)}`);
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
    if (epochOf(value, orgId, origin) === undefined) throw new Error("another issuer");
  });
}
