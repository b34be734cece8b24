import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createTransport } from "nodemailer";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { createLogger } from "#platform/logger.ts";
import { socketThrough } from "#platform/mail/mail-settings.ts";
import { createEgress, type Egress } from "#platform/net/egress-proxy.ts";
import { createTimestampAuthority } from "#platform/timestamps/timestamp-authority.ts";
import { createIdentityProvider } from "../../gateway/oidc/identity-provider.ts";
import { readCertificates } from "../../services/sign/seal/seal-signer.ts";
import { type Finding, type Installation, notice, ok, type Query, reasonOf, skipped, wrong } from "./finding.ts";
import { connect, patienceMs } from "./targets.ts";

/** The addresses that people and records use. */
export async function checkAddresses(installation: Installation): Promise<Finding[]> {
  const named = ["PUBLIC_URL", "EVIDENCE_ISSUER"].flatMap((name) => {
    const url = installation.text(name);
    return url === undefined ? [] : [addressFinding(name, new URL(url))];
  });
  const publicUrl = installation.text("PUBLIC_URL");
  if (publicUrl !== undefined) return [...named, await reach(installation, publicUrl)];
  if (!installation.has("gateway")) return named;
  return [
    ...named,
    notice("PUBLIC_URL", "it is not set, so links use the host that each request names", "Set the public address."),
  ];
}

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

function addressFinding(name: string, url: URL): Finding {
  if (isLoopback(url.hostname)) {
    return notice(name, `${url.origin} is an address of this machine`, "Set the address that others use to reach it.");
  }
  if (url.protocol === "https:") return ok(name, url.origin);
  const todo =
    name === "EVIDENCE_ISSUER"
      ? "Set https before the first receipt; afterwards it must stay as it is."
      : "Put a load balancer with a certificate in front of the gateway and set its https address.";
  return wrong(name, `${url.origin} is not https`, todo);
}

/** What may be so only from here, such as inside a cluster. */
const passing = /timeout|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT/;

/** Whoever answers there must be a gateway of this installation. */
async function reach(installation: Installation, publicUrl: string): Promise<Finding> {
  const check = "public address";
  const base = publicUrl.replace(/\/+$/, "");
  const ask = async (path: string): Promise<unknown> => {
    const headers = { accept: "application/json" };
    const response = await fetch(base + path, { headers, signal: AbortSignal.timeout(patienceMs) });
    return response.json().catch(() => undefined);
  };
  try {
    const { name } = ((await ask("/")) ?? {}) as { name?: unknown };
    if (name !== "Assent") {
      return wrong(check, "the server there is not a gateway", "Set the address of your gateways.");
    }
    const [there, here] = [keyIds(await ask("/.well-known/jwks.json")), await ownKeyIds(installation)];
    if (there.length > 0 && here.length > 0 && !there.some((kid) => here.includes(kid))) {
      return wrong(check, "a gateway of another installation answers there", "Set the address of this one.");
    }
    return ok(check, "a gateway answers there");
  } catch (error) {
    const says = `it does not answer: ${reasonOf(error)}`;
    const todo = "Check DNS, the certificate and the load balancer; from inside a cluster it may be out of reach.";
    return passing.test(reasonOf(error)) ? notice(check, says, todo) : wrong(check, says, todo);
  }
}

const keyIds = (document: unknown): unknown[] => {
  const { keys } = (document ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.map((key: { kid?: unknown }) => key.kid) : [];
};

/** What the auth service signs with, where one may ask it. */
async function ownKeyIds(installation: Installation): Promise<unknown[]> {
  const target = installation.text("AUTH_TARGET");
  if (target === undefined) return [];
  const transport = connect(installation, target, [TokenService]);
  try {
    const { jwksJson } = await createClient(TokenService, transport).getJwks({}, { timeoutMs: patienceMs });
    return keyIds(JSON.parse(jwksJson));
  } catch {
    // That it does not answer stands at its address.
    return [];
  } finally {
    transport.close();
  }
}

/** Reads what the provider says of itself, as each sign-in does; nobody is signed in. */
export async function checkIdentityProvider(installation: Installation): Promise<Finding[]> {
  const check = "identity provider";
  const issuer = installation.text("OIDC_ISSUER");
  const clientId = installation.text("OIDC_CLIENT_ID");
  if (issuer === undefined || clientId === undefined) return [];
  const clientSecret = installation.text("OIDC_CLIENT_SECRET") ?? "";
  const settings = { issuer, clientId, clientSecret, name: "", egress: egressOfAll(installation) };
  const provider = createIdentityProvider(settings, {
    monotonic: () => performance.now(),
    logger: createLogger("doctor", "silent"),
  });
  try {
    await provider.begin(`${installation.text("PUBLIC_URL") ?? issuer}/`);
    return [ok(check, `${issuer} describes how to sign in`)];
  } catch (error) {
    const todo = "Check OIDC_ISSUER, and that the gateway can reach it.";
    const reason = reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
    return [wrong(check, `${issuer} cannot be used: ${reason}`, todo)];
  }
}

/** Sends one hash of random bytes, as every seal and every anchor does. */
export async function checkTimestamps(installation: Installation): Promise<Finding[]> {
  if (!installation.has("sign") && !installation.has("click")) return [];
  const url = installation.text("TSA_URL");
  if (url === undefined) {
    return [
      notice("time stamps", "TSA_URL is not set: no independent authority dates your records", "See docs/evidence.md."),
    ];
  }
  const trusted = trustedAuthorities(installation);
  try {
    await createTimestampAuthority({ url, trusted, timeoutMs: 10_000, egress: egressOfAll(installation) }).stamp(
      randomBytes(32),
    );
    if (trusted.length > 0) return [ok("time stamps", "the authority answers, and its chain is trusted")];
    return [
      notice(
        "time stamps",
        "the authority answers, but its certificates are not configured",
        "Set TSA_CERTIFICATES for sign and TSA_CA_FILE for click.",
      ),
    ];
  } catch (error) {
    return [wrong("time stamps", `no usable stamp: ${reasonOf(error)}`, "Check TSA_URL and the trusted certificates.")];
  }
}

function trustedAuthorities(installation: Installation): string[] {
  const ofClick = installation.value("TSA_CA_FILE");
  if (installation.has("click") && Array.isArray(ofClick) && ofClick.length > 0) return ofClick;
  const ofSign = installation.text("TSA_CERTIFICATES") ?? "";
  return readCertificates(ofSign).map((certificate) => certificate.toString());
}

/** What a process asks outside goes the same way from here. */
function egressOfAll(installation: Installation): Egress | undefined {
  const direct = installation.value("EGRESS_DIRECT");
  const proxy = installation.text("EGRESS_PROXY");
  return proxy === undefined ? undefined : createEgress(proxy, Array.isArray(direct) ? direct : []);
}

/** Connects and logs in; sends nothing. */
export async function checkMail(installation: Installation): Promise<Finding[]> {
  if (!["sign", "auth", "click"].some((name) => installation.has(name))) return [];
  const url = installation.text("SMTP_URL");
  if (url === undefined) {
    return [notice("mail", "SMTP_URL is not set: no invitations or reminders are sent", "See docs/mail.md.")];
  }
  const limits = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
  const egress = egressOfAll(installation);
  const transport = createTransport({ url, ...limits, ...(egress && { getSocket: socketThrough(egress) }) });
  try {
    await transport.verify();
    return [ok("mail", "the server accepts the login")];
  } catch (error) {
    return [wrong("mail", `the server cannot be used: ${reasonOf(error)}`, "Check host, port and login in SMTP_URL.")];
  } finally {
    transport.close();
  }
}

const bytesOfMb = 1024 * 1024;
/** What the processes that read and make documents may need at once. */
const neededTemporaryMb = 200;
/** With less, no document at all. */
const fullMb = 32;

/** Where temporary files go. */
export function temporaryFolder(folder: string = tmpdir()): Finding {
  try {
    const own = mkdtempSync(join(folder, "assent-doctor-"));
    try {
      writeFileSync(join(own, "probe"), Buffer.alloc(64 * 1024));
    } finally {
      rmSync(own, { recursive: true });
    }
    const { bavail, bsize } = statfsSync(folder);
    const freeMb = Math.floor((bavail * bsize) / bytesOfMb);
    if (freeMb >= neededTemporaryMb) return ok("temporary files", `${folder} is writable, ${freeMb} MB are free`);
    const [says, todo] = [`${folder} has only ${freeMb} MB free`, `Free up ${neededTemporaryMb} MB.`];
    return freeMb < fullMb ? wrong("temporary files", says, todo) : notice("temporary files", says, todo);
  } catch (error) {
    return wrong(
      "temporary files",
      `no file can be written to ${folder}: ${reasonOf(error)}`,
      "Mount a writable folder there, as the manifests do, or set TMPDIR.",
    );
  }
}

const check = "database disk";
const todoFull = "Enlarge the volume; look for an archive or a replication slot that has stopped (docs/operations.md).";
const keptMbOfSlot = 1_024;

/** The disk of the database: a trial that anybody may make, what fills it, and how much is free where one may ask. */
export async function checkDatabaseDisk(query: Query): Promise<Finding[]> {
  return [...(await trial(query)), ...(await growingLog(query)), await freeSpace(query)];
}

/** Sorts more than fits into memory: the server writes some 10 MB, and removes them at once. Needs no privilege. */
async function trial(query: Query): Promise<Finding[]> {
  await query("begin");
  try {
    await query("set local work_mem = '64kB'");
    await query(
      "select count(*) from (select md5(n::text) from generate_series(1, 150000) as n order by 1 offset 0) as sorted",
    );
    return [];
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "53100") return [wrong(check, `it is full: ${reasonOf(error)}`, todoFull)];
    return [skipped(check, `it could not be tested: ${reasonOf(error)}`)];
  } finally {
    await query("rollback");
  }
}

/** What keeps the server from ever removing its log. */
async function growingLog(query: Query): Promise<Finding[]> {
  const findings: Finding[] = [];
  const [archive] = await query<{ failing: boolean; since: Date | null }>(
    `select current_setting('archive_mode') <> 'off' and last_failed_time > coalesce(last_archived_time, '-infinity')
       as failing, last_archived_time as since from pg_catalog.pg_stat_archiver`,
  );
  if (archive?.failing === true) {
    const since =
      archive.since === null ? "nothing was archived yet" : `the last success was ${archive.since.toISOString()}`;
    findings.push(wrong(check, `archiving fails, so the server's log grows until it is full: ${since}`, todoFull));
  }
  const [backup] = await query<{ isMissing: boolean }>(
    `select current_setting('archive_mode') <> 'off'
       and not exists (select from pg_catalog.pg_roles where rolname = 'streaming_replica')
       and not exists (
         select from pg_catalog.pg_db_role_setting s join pg_catalog.pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) one
         where d.datname = current_database() and s.setrole = 0 and one like 'assent.base_backup=%') as "isMissing"`,
  );
  if (backup?.isMissing === true) {
    findings.push(
      notice(
        "base backup",
        "the server archives its log, but no base backup was recorded: without one the archive cannot restore anything",
        "Make one and record it, or record that backups are monitored elsewhere (docs/operations.md, On a Postgres of your own).",
      ),
    );
  }
  const slots = await query<{ name: string; kept: number }>(
    `select slot_name as name, (pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), restart_lsn) / ${bytesOfMb})::int as kept
     from pg_catalog.pg_replication_slots where not active and not pg_catalog.pg_is_in_recovery()`,
  );
  for (const { name, kept } of slots.filter(({ kept }) => kept >= keptMbOfSlot)) {
    findings.push(
      notice(check, `nothing reads the replication slot ${name}, which keeps ${kept} MB of the log`, todoFull),
    );
  }
  return findings;
}

/** Postgres itself has no function for that; superusers may ask the machine. */
async function freeSpace(query: Query): Promise<Finding> {
  const [seen] = await query<{ mighty: boolean; size: string }>(
    `select pg_catalog.pg_has_role(session_user, 'pg_execute_server_program', 'usage') as mighty,
       pg_catalog.pg_size_pretty(pg_catalog.pg_database_size(pg_catalog.current_database())) as size`,
  );
  const unknown = `the database has ${seen?.size}; this login cannot see how much space is left. Watch the volume`;
  if (seen?.mighty !== true) return skipped(check, unknown);
  await query("begin");
  try {
    await query("create temporary table doctor_disk (line text) on commit drop");
    // The server runs in its data folder.
    await query("copy doctor_disk from program 'df -Pk . pg_wal'");
    const lines = await query<{ line: string }>("select line from doctor_disk");
    const rooms = lines.flatMap(({ line }) => {
      const [, size = "", free = ""] = /\s(\d+)\s+\d+\s+(\d+)\s+\d+%\s/.exec(line) ?? [];
      return size === "" ? [] : [{ share: Number(free) / Number(size), freeMb: Math.floor(Number(free) / 1024) }];
    });
    const [least] = rooms.sort((a, b) => a.share - b.share);
    if (least === undefined) return skipped(check, unknown);
    const says = `${Math.floor(100 * least.share)} % are free (${least.freeMb} MB); the database has ${seen.size}`;
    if (least.share < 0.05) return wrong(check, says, todoFull);
    return least.share < 0.2 ? notice(check, says, todoFull) : ok(check, says);
  } catch (error) {
    return skipped(check, `${unknown} (${reasonOf(error)})`);
  } finally {
    await query("rollback");
  }
}
