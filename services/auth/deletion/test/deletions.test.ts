import { generateKeyPairSync, sign } from "node:crypto";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DeletionStatus, type OrganizationDeletion } from "#gen/assent/auth/v1/auth_pb.ts";
import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import {
  type AuthHarness,
  type AuthProcess,
  createKey,
  createOAuthClient,
  createOrganization,
  startAuth,
} from "../../test/harness.ts";
import { createOwner, createPerson, logIn } from "../../test/people.ts";

const day = 24 * 3_600_000;
let name: string;
let auth: AuthHarness;
let organizationId: string;
let running: AuthProcess[] = [];
let count = 0;

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth?.stop());
beforeEach(async () => {
  count += 1;
  name = `Gone & Sons ${count}`;
  organizationId = await createOrganization(auth, name);
});
afterEach(async () => {
  for (const process of running) await workerOf(process).stop();
  running = [];
});

const workerOf = ({ service }: AuthProcess) => {
  const worker = service.workers.find((one) => one.name === "auth-deletions");
  if (worker === undefined) throw new Error("there is no worker");
  return worker;
};
type Handlers = Partial<ServiceImpl<typeof PersonalDataService>>;
const nothing: Handlers = { findHold: () => ({}), countRecords: () => ({}), destroyRecords: () => ({}) };
const { privateKey } = generateKeyPairSync("ed25519");

/** A process whose worker runs, before services of which each keeps the same. */
async function start(handlers: Handlers = {}): Promise<AuthProcess> {
  const holder = createMemoryTransport(
    (router) => {
      router.service(PersonalDataService, { ...nothing, ...handlers });
      router.service(ClickService, {
        getCheckpoint: ({ anchor }) => {
          if (!anchor) throw new ConnectError("none", Code.NotFound);
          return { note: "note of the anchor log" };
        },
      });
      router.service(EvidenceLogService, {
        signDestruction: ({ statement }) => ({
          jws: `${statement}.${sign(null, Buffer.from(statement), privateKey).toString("base64url")}`,
        }),
      });
    },
    { interceptors: [], defaultTimeoutMs: 60_000 },
  );
  const [sign_, click, webhooks, docgen, templates] = Array(5).fill(holder);
  const process = await auth.another({}, { sign: sign_, click, webhooks, docgen, templates });
  await workerOf(process).start();
  running.push(process);
  return process;
}

const ask = (given: { name?: string; requestedBy?: string } = {}) =>
  auth.admin.deleteOrganization({ organizationId, name, requestedBy: "Olga of operations", ...given });
const read = async (): Promise<OrganizationDeletion> => {
  const { deletion } = await auth.admin.getOrganizationDeletion({ organizationId });
  if (deletion === undefined) throw new Error("there is none");
  return deletion;
};
/** Time passes while it is waited for. */
const untilIs = (status: DeletionStatus, stepMs = 60_000): Promise<OrganizationDeletion> =>
  until(async () => {
    const deletion = await read();
    if (deletion.status === status) return deletion;
    auth.clock.advance(stepMs);
    return false;
  }, 20_000);

describe("the deletion of an organization", () => {
  test("needs its name, is told to its owners, and can be withdrawn for seven days", async () => {
    await start();
    await expectDomainError(ask({ name: "Acme" }), "VALIDATION_FAILED");
    await expectDomainError(ask({ requestedBy: " " }), "VALIDATION_FAILED");
    await expectDomainError(read(), "NOT_FOUND");
    const { deletion } = await ask();
    expect(deletion).toMatchObject({ status: DeletionStatus.SCHEDULED, requestedBy: "Olga of operations" });
    expect(Number((deletion?.effectiveAt?.seconds ?? 0n) - (deletion?.requestedAt?.seconds ?? 0n))).toBe(
      (7 * day) / 1000,
    );
    expect((await ask()).deletion?.id).toBe(deletion?.id);
    const key = await createKey(auth, organizationId);
    auth.clock.advance(6 * day);
    expect((await auth.tokens.authenticateApiKey({ apiKey: key.apiKey })).organizationId).toBe(organizationId);
    const withdraw = () => auth.admin.withdrawOrganizationDeletion({ organizationId });
    expect((await withdraw()).deletion?.status).toBe(DeletionStatus.WITHDRAWN);
    expect((await withdraw()).deletion?.id).toBe(deletion?.id);
    const { rows } = await auth.superuser.query(
      "select action, actor_id from auth.audit_event where organization_id = $1 and subject_id = $1::uuid::text order by event_id",
      [organizationId],
    );
    expect(rows).toEqual(
      ["requested", "withdrawn"].map((what) => ({ action: `organization.deletion-${what}`, actor_id: "operator" })),
    );
    // Another one may be asked for, which then has another number.
    expect((await ask()).deletion?.id).not.toBe(deletion?.id);
    await withdraw();
  });

  test("waits for legal holds, then ends every credential, and what is of others stays", async () => {
    const others = await createOrganization(auth, "Others");
    const othersKey = await createKey(auth, others);
    const owner = await createOwner(auth, organizationId);
    const person = await createPerson(auth, owner);
    const key = await createKey(auth, organizationId);
    const client = await createOAuthClient(auth, organizationId);
    const before = (await dumpTables(auth.superuser)).split("\n").filter((row) => row.includes(others));
    let isHeld = true;
    let written = 3;
    await start({
      findHold: () => ({ isHeld }),
      countRecords: () => ({ tables: written === 0 ? [] : [{ table: "agreement", rows: BigInt(written) }] }),
      destroyRecords: () => {
        written = Math.max(0, written - 1);
        return { isMore: written > 0 };
      },
    });
    await ask();
    await untilIs(DeletionStatus.HELD, day);
    expect((await auth.tokens.authenticateApiKey({ apiKey: key.apiKey })).organizationId).toBe(organizationId);
    isHeld = false;
    await untilIs(DeletionStatus.RUNNING, 3_600_000);
    await expectDomainError(auth.tokens.authenticateApiKey({ apiKey: key.apiKey }), "INVALID_TOKEN");
    await expectDomainError(auth.tokens.issueToken({ ...client, scopes: [] }), "OAUTH_INVALID_CLIENT");
    await expectDomainError(logIn(auth, { email: person.email }), "LOGIN_FAILED");
    await expectDomainError(createKey(auth, organizationId), "NOT_FOUND");
    await expectDomainError(createOwner(auth, organizationId), "NOT_FOUND");
    await expect(auth.admin.withdrawOrganizationDeletion({ organizationId })).rejects.toThrow("has begun");
    const { certificate, id } = await untilIs(DeletionStatus.COMPLETED);
    const statement = JSON.parse(certificate.slice(0, certificate.lastIndexOf(".")));
    expect(statement).toMatchObject({
      deletion: id,
      requestedBy: "Olga of operations",
      destroyed: {
        auth: { organization: 1, api_key: 1, oauth_client: 1, user_account: 2 },
        sign: { agreement: 3 },
        templates: { agreement: 3 },
      },
      log: { checkpoint: null, anchor: "note of the anchor log" },
    });
    const dump = (await dumpTables(auth.superuser)).split("\n");
    const left = dump.filter(
      (row) => findIn(row, [organizationId, name, owner.email, person.email, key.keyId]).length > 0,
    );
    // The feed of what gateways must forget names keys until it is read.
    expect(left.map((row) => row.split(":")[0]).filter((table) => table !== "auth.change")).toEqual([
      "auth.organization_deletion",
    ]);
    expect(dump.filter((row) => row.includes(others))).toEqual(before);
    expect((await auth.tokens.authenticateApiKey({ apiKey: othersKey.apiKey })).organizationId).toBe(others);
    await expectDomainError(ask(), "NOT_FOUND");
  });

  test("begins anew with services that have got something meanwhile, and goes on for a process that was killed", async () => {
    let hangs = 0;
    const killed = await start({
      destroyRecords: () => {
        hangs += 1;
        return new Promise(() => undefined);
      },
    });
    await ask();
    await until(async () => {
      auth.clock.advance(day);
      return hangs > 0;
    }, 20_000);
    const left = new Map([["late", 2]]);
    let rounds = 0;
    await start({
      countRecords: () => ({ tables: [...left].map(([table, rows]) => ({ table, rows: BigInt(rows) })) }),
      destroyRecords: () => {
        rounds += 1;
        if (rounds > 5) left.clear();
        return {};
      },
    });
    await untilIs(DeletionStatus.COMPLETED);
    expect(rounds).toBeGreaterThan(5);
    void workerOf(killed).stop();
    running = running.filter((one) => one !== killed);
  });
});
