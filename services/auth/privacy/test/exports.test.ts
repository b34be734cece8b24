import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Export, ExportKind, ExportService, ExportStatus } from "#gen/assent/auth/v1/exports_pb.ts";
import {
  AcceptanceFormat,
  type AcceptancesToExport,
  type ExportedFile,
  PersonalDataService,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  type AuthHarness,
  type AuthProcess,
  createKey,
  createOrganization,
  createProcess,
  startAuth,
  untilWorked,
} from "../../test/harness.ts";
import { createOwner } from "../../test/people.ts";

const day = 24 * 3_600_000;
const person = { email: "Zoe.Secret@example.com", userRef: "zoe-ref-9" };
const agreement = { agreementId: "<script>", sentAt: "2026-11-23T08:10:01.896Z", jws: "eyJ".repeat(300) };
const bigFile = Buffer.alloc(2_500_000, "zoe at her desk ");

let auth: AuthHarness;
let worker: AuthProcess;
/** It, and those that were beside it for a while. */
const workers: AuthProcess[] = [];
let organizationId: string;
/** What the sign service is asked; it may have to wait. */
let asked: string[];
let barrier: Promise<void>;
/** Whom it is asked about. */
let wanted: { readonly email: string; readonly userRef: string };

const file = (path: string, content: string | Buffer): Pick<ExportedFile, "path" | "title" | "content"> => ({
  ...{ path, title: `Zoe's <b>${path}</b>` },
  content: Buffer.from(content),
});
/** Receipts in two files, with a page between them that found none. */
async function acceptancesAfter(cursor: string, { userRef, format }: AcceptancesToExport) {
  asked.push(`${userRef} ${cursor}`);
  if (cursor === "2") await barrier;
  if (format === AcceptanceFormat.JSONL) return { files: [], nextCursor: "" };
  if (cursor === "") return { files: [file("acceptances/0.csv", "head\r\n1\r\n")], nextCursor: "1" };
  if (cursor === "1") return { files: [], nextCursor: "2" };
  return { files: [file("acceptances/2.csv", bigFile)], nextCursor: "" };
}

const holder = createMemoryTransport(
  (router) => {
    router.service(PersonalDataService, {
      exportPerson: async (request, { requestHeader }) => {
        expect(requestHeader.get("x-org-id")).toMatch(/^[0-9a-f-]{36}$/);
        expect(request.person).toMatchObject(wanted);
        asked.push(request.cursor);
        if (request.cursor === "2") await barrier;
        if (request.cursor === "")
          return { files: [file("data/agreements/1.json", JSON.stringify(agreement))], nextCursor: "2" };
        // The first one comes again.
        return { files: [file("data/agreements/1.json", "{}"), file("documents/1/1.pdf", bigFile)], nextCursor: "" };
      },
      exportOrganization: ({ cursor }) =>
        cursor === ""
          ? { files: [file("documents/1/1.pdf", bigFile)], nextCursor: "2" }
          : { files: [file("documents/2/1.pdf", bigFile)], nextCursor: "" },
    });
  },
  { interceptors: [] },
);

/** The click service keeps nothing of the person. */
const receipts = createMemoryTransport(
  (router) => {
    router.service(PersonalDataService, {
      exportPerson: () => ({}),
      exportOrganization: ({ cursor, acceptances }) =>
        acceptances === undefined ? {} : acceptancesAfter(cursor, acceptances),
    });
  },
  { interceptors: [] },
);

const startWorker = async (): Promise<AuthProcess> => {
  const process = await createProcess(
    { databaseUrl: auth.databaseUrl },
    auth.clock,
    undefined,
    createMemoryBus(),
    {
      sign: holder,
      click: receipts,
    },
    { bytes: 3_000_000, files: 100 },
  );
  await workerOf(process).start();
  workers.push(process);
  return process;
};
const workerOf = ({ service }: AuthProcess) => {
  const found = service.workers.find(({ name }) => name === "auth-exports");
  if (found === undefined) throw new Error("there is no worker");
  return found;
};

beforeAll(async () => {
  auth = await startAuth();
  worker = await startWorker();
});
afterAll(async () => {
  await workerOf(worker).stop();
  await worker.service.close();
  await auth.stop();
});
beforeEach(async () => {
  organizationId = await createOrganization(auth);
  asked = [];
  wanted = person;
  barrier = Promise.resolve();
});

const clientOf = ({ service }: AuthProcess): Client<typeof ExportService> => {
  const interceptors = serverInterceptors({
    service: "auth",
    logger: createLogger("auth", "silent"),
    metrics: createMetrics(),
  });
  return createClient(ExportService, createMemoryTransport(service.routes, { interceptors }));
};
const by = (organization = organizationId) => ({
  headers: { "x-org-id": organization, "x-client-id": "cl_test", "x-request-id": "req_1" },
});
const exports = () => clientOf(auth);
const create = async (idempotencyKey = "", given = person): Promise<Export> =>
  required((await exports().createExport({ ...given, idempotencyKey }, by())).export);
const required = (one: Export | undefined): Export => {
  if (one === undefined) throw new Error("there is no export");
  return one;
};
const read = async (id: string): Promise<Export> => required((await exports().getExport({ id }, by())).export);
const until = <T>(condition: () => Promise<T | false | undefined>): Promise<T> =>
  untilWorked(() => workers, "auth-exports", condition);
const untilDone = (id: string): Promise<Export> =>
  until(async () => {
    const found = await read(id);
    return found.status === ExportStatus.COMPLETED && found;
  });

async function filesOf(id: string, part = 1): Promise<Map<string, string>> {
  const { files } = await exports().openExport({ id, part }, by());
  const contents = new Map<string, string>();
  for (const { number, path, bytes } of files) {
    const pieces: Uint8Array[] = [];
    for (let piece = 0, isLast = false; !isLast; piece += 1) {
      const answer = await exports().readExportFile({ id, number, piece }, by());
      pieces.push(answer.content);
      isLast = answer.isLast;
    }
    const whole = Buffer.concat(pieces);
    expect(whole).toHaveLength(Number(bytes));
    contents.set(path, whole.toString("utf8"));
  }
  return contents;
}

describe("an export of a person", () => {
  test("is made of what all services keep, page by page, and read again as it was", async () => {
    const owner = await createOwner(auth, organizationId, person.email);
    const { id, status } = await create();
    expect(status).toBe(ExportStatus.PENDING);
    const done = await untilDone(id);
    expect([done.parts, done.createdBy, asked]).toEqual([1, "cl_test", ["", "2"]]);
    const files = await filesOf(id);
    expect([...files.keys()].sort()).toEqual([
      `data/accounts/${owner.userId}.json`,
      ...["data/agreements/1.json", "documents/1/1.pdf", "index.html", "schema/account.schema.json"],
    ]);
    expect(files.get("documents/1/1.pdf")).toBe(bigFile.toString("utf8"));
    expect(JSON.parse(files.get(`data/accounts/${owner.userId}.json`) ?? "")).toMatchObject({ email: person.email });
    const page = files.get("index.html") ?? "";
    expect(page).toContain("&lt;script&gt;");
    expect(page).toContain("Zoe&#39;s &lt;b&gt;");
    expect(page).not.toMatch(/<script|<b>/);
    const begin = page.slice(page.indexOf("<h1>"), page.indexOf("<h2>"));
    expect(begin).toMatch(/zoe\.secret@example\.com, zoe-ref-9.*Acme.*<time /is);
    expect(page).toContain(agreement.jws);
    const unfolded = page.replaceAll(/<details>.*?<\/details>/g, "");
    expect(unfolded).not.toMatch(/eyJ|&lt;script/);
    expect(unfolded).toContain("<dt>Sent</dt>");
    expect(unfolded).toContain(">23 November 2026 at 08:10 UTC<");
  });

  test("is made once for the same key, which is refused for somebody else", async () => {
    const [first, again] = [await create("key-1"), await create("key-1")];
    expect(again.id).toBe(first.id);
    await expectDomainError(create("key-1", { ...person, email: "bob@example.com" }), "IDEMPOTENCY_KEY_REUSED");
    expect((await create("key-2")).id).not.toBe(first.id);
    const { exports: listed } = await exports().listExports({}, by());
    expect(listed).toHaveLength(2);
  });

  test("has the account of a user of the dashboard who is named by their id", async () => {
    const owner = await createOwner(auth, organizationId);
    wanted = { email: "", userRef: owner.userId };
    const { id } = await create("", wanted);
    await untilDone(id);
    expect([...(await filesOf(id)).keys()]).toContain(`data/accounts/${owner.userId}.json`);
  });

  test("is refused for what is no address, which would never end or find others", async () => {
    for (const email of [" ", "example.com", "Zoe <zoe@example.com>"]) {
      await expectDomainError(create("", { ...person, email }), "VALIDATION_FAILED");
    }
  });

  test("is nobody's of another organization", async () => {
    const { id } = await create();
    await untilDone(id);
    const others = by(await createOrganization(auth));
    await expectDomainError(exports().getExport({ id }, others), "EXPORT_NOT_FOUND");
    await expectDomainError(exports().openExport({ id, part: 1 }, others), "EXPORT_NOT_FOUND");
    await expectDomainError(exports().readExportFile({ id, number: 0, piece: 0 }, others), "EXPORT_NOT_FOUND");
    expect((await exports().listExports({}, others)).exports).toEqual([]);
  });

  test("stands in the database sealed, its downloads in the audit trail, and is gone after seven days", async () => {
    const { id } = await create();
    await untilDone(id);
    await filesOf(id);
    // Whoever only asks whether it could be downloaded is told, and not noted.
    await exports().openExport({ id, part: 1, looksOnly: true }, by());
    const dump = async () =>
      (await dumpTables(auth.superuser))
        .split("\n")
        .filter((row) => row.startsWith("auth.") && row.includes(id))
        .join("\n");
    expect(findIn(await dump(), [person.email, person.userRef, "zoe at her desk"])).toEqual([]);
    const { rows } = await auth.superuser.query(
      "select action, actor_id from auth.audit_event where organization_id = $1 and subject_id = $2 order by event_id",
      [organizationId, id],
    );
    expect(rows).toEqual(["export.requested", "export.downloaded"].map((action) => ({ action, actor_id: "cl_test" })));
    auth.clock.advance(7 * day);
    await expectDomainError(exports().openExport({ id, part: 1 }, by()), "EXPORT_EXPIRED");
    await until(async () => (await read(id)).status === ExportStatus.EXPIRED);
    await until(async () => {
      const sql =
        "select from auth.export_piece where export_id = $1 union all select from auth.export_file where export_id = $1";
      return (await auth.superuser.query(sql, [id])).rowCount === 0;
    });
    const { rows: left } = await auth.superuser.query("select seed from auth.export where id = $1", [id]);
    expect(left).toEqual([{ seed: null }]);
    await expectDomainError(exports().readExportFile({ id, number: 0, piece: 0 }, by()), "EXPORT_EXPIRED");
  });

  test("is gone on with by another process where one has ended, and has everything once", async () => {
    let release = (): void => undefined;
    barrier = new Promise((resolve) => {
      release = resolve;
    });
    const { id } = await create();
    await until(async () => asked.includes("2"));
    await expectDomainError(exports().openExport({ id, part: 1 }, by()), "EXPORT_NOT_READY");
    // The first process has it for two minutes, and would then find that it is another's.
    const second = await startWorker();
    auth.clock.advance(3 * 60_000);
    await until(async () => asked.filter((cursor) => cursor === "2").length === 2);
    release();
    await untilDone(id);
    expect([...(await filesOf(id)).keys()].sort()).toEqual([
      "data/agreements/1.json",
      "documents/1/1.pdf",
      "index.html",
    ]);
    await workerOf(second).stop();
    await second.service.close();
  });

  test("of acceptances is one text, whoever made its parts, and asks nobody but the click service", async () => {
    let release = (): void => undefined;
    barrier = new Promise((resolve) => {
      release = resolve;
    });
    const acceptances = { format: AcceptanceFormat.CSV, userRef: "zoe-ref-9" };
    const askFor = async (given: object, idempotencyKey = "") =>
      required((await exports().createExport({ ...given, idempotencyKey }, by())).export);
    const { id } = await askFor({ acceptances }, "list-1");
    expect((await askFor({ acceptances }, "list-1")).id).toBe(id);
    const others = askFor({ acceptances: { ...acceptances, userRef: "bob" } }, "list-1");
    await expectDomainError(others, "IDEMPOTENCY_KEY_REUSED");
    await expectDomainError(askFor({ acceptances, organization: true }), "VALIDATION_FAILED");
    for (const time of ["0000-12-31T23:59:59Z", "+010000-01-01T00:00:00Z"]) {
      const wrong = { ...acceptances, from: timestampFromDate(new Date(time)) };
      await expectDomainError(askFor({ acceptances: wrong }), "VALIDATION_FAILED");
    }
    await expectDomainError(askFor({ acceptances: { ...acceptances, revision: 3 } }), "VALIDATION_FAILED");
    await expectDomainError(askFor({ acceptances, ...person }), "VALIDATION_FAILED");
    await until(async () => asked.includes("zoe-ref-9 2"));
    const second = await startWorker();
    auth.clock.advance(3 * 60_000);
    await until(async () => asked.filter((one) => one === "zoe-ref-9 2").length === 2);
    release();
    const made = await untilDone(id);
    expect(made).toMatchObject({ kind: ExportKind.ACCEPTANCES, format: AcceptanceFormat.CSV, parts: 1, files: 2 });
    expect(new Set(asked)).toEqual(new Set(["zoe-ref-9 ", "zoe-ref-9 1", "zoe-ref-9 2"]));
    expect((await exports().openExport({ id, part: 1 }, by())).files).toEqual([]);
    const read: Uint8Array[] = [];
    for (let number = 0; number < made.files; number += 1) {
      for (let piece = 0, isLast = false; !isLast; piece += 1) {
        const answer = await exports().readExportFile({ id, number, piece }, by());
        read.push(answer.content);
        isLast = answer.isLast;
      }
    }
    expect(Buffer.concat(read).equals(Buffer.concat([Buffer.from("head\r\n1\r\n"), bigFile]))).toBe(true);
    expect(findIn(await dumpTables(auth.superuser), ["zoe-ref-9", "zoe at her desk"])).toEqual([]);
    await workerOf(second).stop();
    await second.service.close();
    const empty = await askFor({ acceptances: { format: AcceptanceFormat.JSONL } });
    expect(await untilDone(empty.id)).toMatchObject({ format: AcceptanceFormat.JSONL, files: 0 });
    await exports().openExport({ id: empty.id, part: 1 }, by());
    await expectDomainError(exports().openExport({ id: empty.id, part: 2 }, by()), "EXPORT_NOT_FOUND");
  });

  test("of all of the organization has its own records, no secrets, and archives of a bounded size", async () => {
    const owner = await createOwner(auth, organizationId, person.email);
    const { apiKey } = await createKey(auth, organizationId);
    const other = await createOwner(auth, await createOrganization(auth));
    await expectDomainError(exports().createExport({ ...person, organization: true }, by()), "VALIDATION_FAILED");
    const { id } = required((await exports().createExport({ organization: true }, by())).export);
    expect((await untilDone(id)).parts).toBe(2);
    const [first, second] = [await filesOf(id), await filesOf(id, 2)];
    expect([...second.keys()]).toEqual(["documents/2/1.pdf"]);
    const users = JSON.parse(first.get("data/auth.user_account/00001.json") ?? "");
    expect(users).toMatchObject([{ user_id: owner.userId, email: person.email }]);
    for (const table of ["organization", "api_key", "audit_event"]) {
      expect([...first.keys()]).toContain(`data/auth.${table}/00001.json`);
    }
    const all = [...first].map(([name, text]) => (name.startsWith("documents") ? "" : text)).join("\n");
    expect(findIn(all, [other.email, other.userId, apiKey])).toEqual([]);
    expect(all).not.toMatch(/"(secret_hash|password_hash|token_hash|totp_secret|seed)"/);
    expect(first.get("index.html")).toContain("Export of an organization");
  });
});
