import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ErasureStatus, type GetErasureResponse } from "#gen/assent/auth/v1/erasures_pb.ts";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { PersonalDataService, PersonalItemOutcome } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { heldItem } from "#platform/db/erasure-answers.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { raceHolds } from "#platform/testing/hold-races.ts";
import { until } from "#platform/testing/until.ts";
import {
  type AuthHarness,
  type AuthProcess,
  createOrganization,
  runWorkerOnce,
  startAuth,
} from "../../test/harness.ts";
import { createOwner, createPerson, type Person } from "../../test/people.ts";

type Handlers = Partial<ServiceImpl<typeof PersonalDataService>>;
type Erases = NonNullable<Handlers["erasePerson"]>;
type IsHeld = (asked: { readonly email: string; readonly userRef: string }) => boolean;

let auth: AuthHarness;
let organizationId: string;
let owner: Person;
let running: AuthProcess[] = [];
const erasureList = mkdtempSync(join(tmpdir(), "assent-erasures-"));

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(async () => {
  await auth?.stop();
  rmSync(erasureList, { recursive: true });
});
beforeEach(async () => {
  organizationId = await createOrganization(auth);
  owner = await createOwner(auth, organizationId);
});
afterEach(async () => {
  for (const process of running) await workerOf(process).stop();
  running = [];
});

const callOf = (id = organizationId) => {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new TypeError(`${id} is not a UUID`);
  return { headers: callerHeaders({ orgId, clientId: "cl_test", requestId: "r", traceparent: "" }) };
};
const workerOf = ({ service }: AuthProcess) => {
  const worker = service.workers.find(({ name }) => name === "auth-erasures");
  if (worker === undefined) throw new Error("there is no worker");
  return worker;
};
const holder = (handlers: Handlers, isHeld: IsHeld = () => false, mark = () => 0) =>
  createMemoryTransport(
    (router) => {
      router.service(PersonalDataService, handlers);
      router.service(SignService, { findPersonHold: (asked) => ({ mark: mark(), isHeld: isHeld(asked) }) });
    },
    { interceptors: [], defaultTimeoutMs: 60_000 },
  );
/** A process whose worker runs, before services like these. */
async function start(sign: Handlers, click: Handlers = {}, isHeld?: IsHeld, mark?: () => number): Promise<AuthProcess> {
  const transports = { sign: holder({ ...nothing, ...sign }, isHeld, mark), click: holder({ ...nothing, ...click }) };
  const process = await auth.another({ erasureList }, transports);
  await workerOf(process).start();
  running.push(process);
  return process;
}
const nothing: Handlers = { findPerson: () => ({}), erasePerson: () => ({}) };
const erased = (targetId: string) => ({
  ...{ kind: "agreement.recipient", targetId, count: 1, outcome: PersonalItemOutcome.ERASED },
});

/** What a service keeps under a hold, and what it erases else. */
const heldOr =
  (kept: string, gone: string): Erases =>
  ({ isHeld }) => ({ items: [isHeld ? heldItem(erased(kept)) : erased(gone)] });

interface Asked {
  readonly email?: string;
  readonly userRef?: string;
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string;
}
const ask = async (given: Asked = {}): Promise<string> =>
  (await auth.erasures.createErasure({ email: "ann@example.com", ...given }, callOf())).erasure?.id ?? "";
const report = (id: string, call = callOf()): Promise<GetErasureResponse> => auth.erasures.getErasure({ id }, call);
const untilDone = (id: string): Promise<GetErasureResponse> =>
  until(async () => {
    const found = await report(id);
    return found.erasure?.status === ErasureStatus.COMPLETED && found;
  });
const told = ({ items }: GetErasureResponse) =>
  items.map(({ kind, targetId, outcome, keptBecause }) => [
    kind,
    targetId,
    outcome === PersonalItemOutcome.ERASED ? "" : keptBecause,
  ]);

describe("the erasure of a person", () => {
  test("goes from service to service, page by page, and forgets whom it was about", async () => {
    const seen: string[] = [];
    await start(
      {
        erasePerson: ({ person, erasureId, ground, cursor }) => {
          seen.push([person?.email, erasureId, ground, cursor].join(" "));
          return { items: [erased(cursor || "first")], nextCursor: cursor === "" ? "second" : "" };
        },
      },
      { erasePerson: () => ({ items: [erased("third")] }) },
    );
    const id = await ask({ idempotencyKey: "once" });
    expect(await ask({ idempotencyKey: "once" })).toBe(id);
    await expect(ask({ idempotencyKey: "once", email: "bob@example.com" })).rejects.toThrow("key");
    expect(told(await untilDone(id)).map(([, target]) => target)).toEqual(["first", "second", "third"]);
    expect(seen).toEqual([`ann@example.com ${id} GDPR_17 `, `ann@example.com ${id} GDPR_17 second`]);
    const { rows } = await auth.superuser.query("select * from auth.erasure where id = $1", [id]);
    expect(rows).toMatchObject([{ sealed_person: null, ground: "GDPR_17" }]);
    expect(findIn(await dumpTables(auth.superuser), ["ann@example.com"])).toEqual([]);
    const { rows: events } = await auth.superuser.query("select subject from auth.outbox where data::text like $1", [
      `%${id}%`,
    ]);
    expect(events).toEqual([{ subject: "assent.audit.privacy" }]);
    const others = await createOrganization(auth);
    expect(await report(id, callOf(others)).catch((error) => ConnectError.from(error).code)).toBe(Code.NotFound);
    expect((await auth.erasures.listErasures({}, callOf(others))).erasures).toEqual([]);
    expect((await auth.erasures.listErasures({}, callOf())).erasures.map((one) => one.id)).toEqual([id]);
  });

  test("is refused for what is no address, which would erase others", async () => {
    for (const email of ["example.com", "e", " ", "Ann <ann@example.com>"]) {
      await expectDomainError(ask({ email }), "VALIDATION_FAILED");
      await expectDomainError(auth.erasures.searchPerson({ email }, callOf()), "VALIDATION_FAILED");
    }
  });

  test("is done with others that were asked for at once, none of which waits until a lease is over", async () => {
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => ask({ email: `${name}@example.com` })));
    await start({});
    await Promise.all(ids.map(untilDone));
  });

  test("goes on elsewhere when a process was killed in the middle, whose late answer changes nothing", async () => {
    let answer: (() => void) | undefined;
    let calls = 0;
    const killed = await start({
      erasePerson: () =>
        new Promise((resolve) => {
          answer = () => resolve({ items: [erased("late")] });
        }),
    });
    const id = await ask();
    await until(async () => answer !== undefined);
    auth.clock.advance(3 * 60_000);
    await start({
      erasePerson: () => {
        calls += 1;
        if (calls === 1) throw new ConnectError("away", Code.Unavailable);
        return { items: [erased("in time")] };
      },
    });
    // The step that fails is told of until it goes on.
    await until(async () => (await report(id)).erasure?.failures === 1);
    await until(async () => {
      auth.clock.advance(2_000);
      return calls > 1;
    });
    const done = await untilDone(id);
    expect(done.erasure?.failures).toBe(0);
    answer?.();
    await workerOf(killed).stop();
    expect(told(done).map(([, target]) => target)).toEqual(["in time"]);
    expect(told(await report(id))).toEqual(told(done));
  });

  test("erases nothing in a dry run, nor what a legal hold keeps", async () => {
    let isHeld = false;
    const click: Handlers = { findPerson: () => ({ items: [erased("x")] }), erasePerson: heldOr("x", "gone") };
    await start({ findPerson: () => ({ items: [erased("y")] }) }, click, () => isHeld);
    const pat = await createPerson(auth, owner);
    const dry = await untilDone(await ask({ email: pat.email, dryRun: true }));
    const [account, lines] = [
      ["user.account", pat.userId, ""],
      ["user.audit", pat.userId, ""],
    ];
    expect(told(dry)).toEqual([["agreement.recipient", "y", ""], ["agreement.recipient", "x", ""], account, lines]);
    isHeld = true;
    const held = await untilDone(await ask({ email: pat.email }));
    expect(told(held)).toEqual([
      ...[
        ["agreement.recipient", "x", "LEGAL_HOLD"],
        ["user.account", pat.userId, "LEGAL_HOLD"],
      ],
      ["user.audit", pat.userId, "LEGAL_HOLD"],
    ]);
    expect(findIn(await dumpTables(auth.superuser), [pat.email])).toHaveLength(1);
    isHeld = false;
    const search = async (cursor = ""): Promise<unknown[]> => {
      const { items, nextCursor } = await (running[0] ?? auth).erasures.searchPerson(
        { email: pat.email, cursor },
        callOf(),
      );
      return [...items.map(({ kind }) => kind), ...(nextCursor === "" ? [] : await search(nextCursor))];
    };
    expect(await search()).toEqual(["agreement.recipient", "agreement.recipient", "user.account", "user.audit"]);
  });

  test("is stopped by a hold on any address of whoever a reference names", async () => {
    const pat = await createPerson(auth, owner);
    const asked: unknown[] = [];
    await start({}, { erasePerson: heldOr("x", "gone") }, ({ email, userRef }) => {
      asked.push(userRef);
      return email === pat.email;
    });
    const person = { email: "pat.elsewhere@example.com", userRef: pat.userId };
    expect(told(await untilDone(await ask(person)))).toEqual([
      ...[
        ["agreement.recipient", "x", "LEGAL_HOLD"],
        ["user.account", pat.userId, "LEGAL_HOLD"],
      ],
      ["user.audit", pat.userId, "LEGAL_HOLD"],
    ]);
    expect(new Set(asked)).toEqual(new Set([pat.userId]));
  });

  test("asks for the holds again when a service knows of more, and keeps what comes after", async () => {
    let holds = 3;
    const sign: Handlers = { erasePerson: () => ({ items: [erased("before")] }) };
    const click: Erases = (asked, context) => {
      // A hold is set right after the holds were asked for.
      if (holds === 3) holds = 4;
      if (asked.holdMark < holds) throw toConnectError(new DomainError("HOLDS_CHANGED"));
      return heldOr("after", "after")(asked, context);
    };
    await start(
      sign,
      { erasePerson: click },
      () => holds > 3,
      () => holds,
    );
    const found = await untilDone(await ask());
    expect(told(found)).toEqual([
      ["agreement.recipient", "before", ""],
      ["agreement.recipient", "after", "LEGAL_HOLD"],
    ]);
    expect(found.erasure?.failures).toBe(0);
  });

  test("is told by a service what it did when its answer was lost before there was a hold", async () => {
    let isHeld = false;
    const erasePerson: Erases = (asked) => {
      // The same again, whatever holds by now.
      if (asked.isHeld) return { items: [erased("done")] };
      isHeld = true;
      throw new ConnectError("the answer is lost", Code.Unavailable);
    };
    await start({}, { erasePerson }, () => isHeld);
    const id = await ask();
    const done = await until(async () => {
      auth.clock.advance(2_000);
      const found = await report(id);
      return found.erasure?.status === ErasureStatus.COMPLETED && found;
    });
    expect(told(done)).toEqual([["agreement.recipient", "done", ""]]);
  });

  test("takes the account that has the address and the one that has the id", async () => {
    await start({});
    const ann = await createPerson(auth, owner, UserRole.OWNER);
    const pat = await createPerson(auth, ann);
    const both = { email: ann.email, userRef: pat.userId };
    const found = ["user.account", "user.audit"].flatMap((kind) =>
      [ann.userId, pat.userId].sort().map((userId) => [kind, userId, ""]),
    );
    expect(told(await untilDone(await ask({ ...both, dryRun: true })))).toEqual(found);
    expect(told(await untilDone(await ask(both)))).toEqual(found);
    expect((await auth.users.listUsers({}, owner.call)).users).toHaveLength(1);
    const rows = (await dumpTables(auth.superuser)).split("\n").filter((row) => row.includes(organizationId));
    expect(findIn(rows.join("\n"), [ann.email, pat.email, "Pat Person"])).toEqual([]);
  });

  test("refuses a place to go on from that no page gave", async () => {
    const search = (cursor: string, email = "ann@example.com") =>
      auth.erasures.searchPerson({ email, cursor }, callOf());
    const uuid = owner.userId;
    for (const cursor of ["0:abc", "2:abc", `2:${uuid}`, "0:\u0000", "12", "5:x", "999999:x", ":", "x:1:", "::"]) {
      await expectDomainError(search(cursor), "VALIDATION_FAILED");
    }
    const { nextCursor } = await search("");
    expect(await search(nextCursor)).toMatchObject({ items: [] });
    await expectDomainError(search(nextCursor, "bob@example.com"), "VALIDATION_FAILED");
  });

  test("tells of the account when it is interrupted before the list of acts, which it finds all the same", async () => {
    const pat = await createPerson(auth, owner);
    const client = await auth.superuser.connect();
    try {
      await client.query("begin");
      await client.query("select from auth.audit_event where subject_id = $1 for update", [pat.userId]);
      await start({});
      const id = await ask({ email: pat.email });
      await until(async () => {
        const { rowCount } = await auth.superuser.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%with who as%'`);
        return rowCount === 1;
      });
      await client.query("rollback");
      const { rowCount } = await client.query("select from auth.user_account where user_id = $1", [pat.userId]);
      expect(rowCount).toBe(0);
      // Whenever it was put off, its time comes.
      const done = await until(async () => {
        auth.clock.advance(2_000);
        const found = await report(id);
        return found.erasure?.status === ErasureStatus.COMPLETED && found;
      });
      expect(told(done)).toEqual([
        ["user.account", pat.userId, ""],
        ["user.audit", pat.userId, ""],
      ]);
    } finally {
      client.release(true);
    }
    const dump = await dumpTables(auth.superuser);
    expect(findIn(dump, [pat.email])).toEqual([]);
    const rows = dump.split("\n").filter((row) => row.includes(pat.userId));
    expect(findIn(rows.join("\n"), ["Pat Person"])).toEqual([]);
  });

  test("stands in a list before anything is erased, from which a database of before is told of it once", async () => {
    const [listed] = [() => readdirSync(erasureList).sort()];
    const seen: string[][] = [];
    const process = await start({
      erasePerson: ({ erasureId }) => {
        seen.push(listed().filter((name) => name.includes(erasureId)));
        return { items: [erased(erasureId)] };
      },
    });
    const person = { email: "lost@example.com", userRef: "lost-user" };
    await untilDone(await ask({ ...person, dryRun: true }));
    expect(seen).toEqual([]);
    const id = await ask(person);
    await untilDone(id);
    const file = `${auth.clock.now().toISOString().slice(0, 10)}.${id}.sealed`;
    expect(seen).toEqual([[file]]);
    const sealed = readFileSync(join(erasureList, file));
    expect(findIn(sealed.toString("latin1"), [...Object.values(person), organizationId])).toEqual([]);
    const apply = (dryRun = false) => process.admin.applyErasureList({ dryRun });
    const before = await apply();
    expect(before).toMatchObject({ isKept: true, missing: 0, unreadable: 0, listed: listed().length });
    const forget = async (table: string, column: string) => {
      await auth.superuser.query(`delete from auth.${table} where ${column} = $1`, [id]);
    };
    await forget("erasure_page", "erasure_id");
    await forget("erasure", "id");
    expect(await apply(true)).toMatchObject({ missing: 1 });
    expect(seen).toHaveLength(1);
    expect((await Promise.all([apply(), apply()])).map(({ missing }) => missing)).toContain(1);
    expect(told(await untilDone(id)).map(([, target]) => target)).toEqual([id]);
    expect(seen).toEqual([[file], [file]]);
    expect(await apply()).toMatchObject({ missing: 0, running: 0 });
    // Under another name it opens nothing, as a changed one.
    const stolen = join(erasureList, file.replace(id, owner.userId));
    writeFileSync(stolen, sealed);
    expect(await apply()).toMatchObject({ unreadable: 1, listed: before.listed });
    expect(await auth.admin.applyErasureList({})).toMatchObject({ isKept: false });
    auth.clock.advance(91 * 86_400_000);
    await runWorkerOnce(process, "auth-purge");
    expect(listed()).toEqual([]);
  });

  test("takes a user of the dashboard, and their names out of the list of acts, but not the last owner", async () => {
    await start({});
    const pat = await createPerson(auth, owner);
    const done = await untilDone(await ask({ email: pat.email.toUpperCase() }));
    expect(told(done)).toEqual([
      ["user.account", pat.userId, ""],
      ["user.audit", pat.userId, ""],
    ]);
    const rows = (await dumpTables(auth.superuser)).split("\n").filter((row) => row.includes(pat.userId));
    expect(rows.length).toBeGreaterThan(1);
    expect(findIn(rows.join("\n"), [pat.email, "Pat Person"])).toEqual([]);
    expect(told(await untilDone(await ask({ userRef: owner.userId, email: "" })))).toEqual([
      ["user.account", owner.userId, "LAST_OWNER"],
      ["user.audit", owner.userId, "LAST_OWNER"],
    ]);
    expect((await auth.users.listUsers({}, owner.call)).users).toHaveLength(1);
  });
});

test("lines of the audit trail go when a period ends for them, and name whoever a hold may keep them for", async () => {
  const stranger = await createOrganization(auth);
  await createOwner(auth, stranger);
  const ivy = await createPerson(auth, owner, UserRole.VIEWER, "ivy@example.com");
  await auth.users.removeUser({ userId: ivy.userId }, owner.call);
  auth.clock.advance(60_000);
  const before = timestampFromDate(auth.clock.now());
  const { records: count } = await auth.retention.countOld({ before }, callOf());
  const all = await auth.retention.listOld({ before, limit: 200, withAddresses: true }, callOf());
  expect(all.records).toHaveLength(count);
  expect(all.records.filter(({ addresses }) => addresses.includes("ivy@example.com")).length).toBeGreaterThan(1);
  expect(all.records.filter(({ addresses }) => addresses.includes(owner.email)).length).toBeGreaterThan(1);
  const [kept, ...old] = all.records.map(({ id }) => id);
  auth.clock.advance(60_000);
  await auth.users.inviteUser({ email: "new@example.com", name: "New", role: UserRole.VIEWER }, owner.call);
  const removal = { ids: old, before };
  expect((await auth.retention.removeOld(removal, callOf(stranger))).keptIds).toEqual([]);
  expect((await auth.retention.removeOld({ ...removal, onlyLook: true }, callOf())).keptIds).toHaveLength(count - 1);
  for (let times = 0; times < 2; times += 1) {
    expect((await auth.retention.removeOld(removal, callOf())).keptIds).toEqual([]);
  }
  const left = await auth.organization.listAuditEvents({ pageSize: 100 }, owner.call);
  expect(left.events.map(({ id }) => id).at(-1)).toBe(kept);
  expect(left.events).toHaveLength(2);
  expect((await auth.retention.countOld({ before }, callOf(stranger))).records).toBeGreaterThan(0);
});

test("a legal hold keeps a user from being removed by an owner as well", async () => {
  let isHeld = true;
  const { users } = await start({}, {}, () => isHeld);
  const { userId } = await createPerson(auth, owner);
  await expectDomainError(users.removeUser({ userId }, owner.call), "LEGAL_HOLD");
  expect((await users.listUsers({}, owner.call)).users).toHaveLength(2);
  isHeld = false;
  await users.removeUser({ userId }, owner.call);
  expect((await users.listUsers({}, owner.call)).users).toHaveLength(1);
});

test("a user who is there when a hold is answered stays, and so do the lines of the audit trail", async () => {
  let [isHeld, mark] = [false, 0];
  const { users, retention } = await start(
    {},
    {},
    () => isHeld,
    () => mark,
  );
  const ids: string[] = [];
  const isThere = async (id = "") => (await auth.superuser.query(find, [id])).rowCount === 1;
  const find = "select from auth.user_account where user_id = $1";
  await raceHolds({
    refusals: ["LEGAL_HOLD"],
    prepare: async () => {
      isHeld = false;
      ids.push((await createPerson(auth, owner)).userId);
    },
    note: async (next) => {
      [isHeld, mark] = [true, next];
      await retention.noteHolds({ mark }, callOf());
    },
    deletes: (round) => users.removeUser({ userId: ids[round] ?? "" }, owner.call),
    isThere: (round) => isThere(ids[round]),
  });
  auth.clock.advance(60_000);
  const before = timestampFromDate(auth.clock.now());
  const { records } = await retention.listOld({ before, limit: 5 }, callOf());
  const removal = { before, ids: records.map(({ id }) => id) };
  await expectDomainError(retention.removeOld({ ...removal, holdMark: mark - 1 }, callOf()), "HOLDS_CHANGED");
  // Marks never sink: whoever notes an older one later changes nothing.
  await retention.noteHolds({ mark: 1 }, callOf());
  await expectDomainError(retention.removeOld({ ...removal, holdMark: mark - 1 }, callOf()), "HOLDS_CHANGED");
  expect((await retention.removeOld({ ...removal, holdMark: mark }, callOf())).keptIds).toEqual([]);
});
