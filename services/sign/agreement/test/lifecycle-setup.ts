import { randomUUID } from "node:crypto";
import { type Client, createClient } from "@connectrpc/connect";
import type pg from "pg";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { createAgreement } from "../../create/create-agreement.ts";
import type { SignDeps } from "../../deps.ts";
import { remindAgreement, voidAgreement } from "../../edit/agreements.ts";
import type { Intake } from "../../intake/intake.ts";
import { unknownSender } from "../../organization-reader.ts";
import { sendAgreement } from "../../send/send-agreement.ts";
import { createFakeClick } from "../../test/fake-click.ts";
import { resumeAgreement } from "../../workflow/resume.ts";
import type { Agreement } from "../agreement.ts";
import type { Change, DecisionContext } from "../change.ts";
import { changeAgreement } from "../change-agreement.ts";
import { sampleContext } from "./lifecycle-samples.ts";
import { testSeals } from "./trail-vault.ts";

/** What a test puts in place of the processes that read PDFs. */
export interface FakeIntake {
  /** Runs while texts are looked for. */
  onSearch: () => Promise<void>;
  searches: number;
  /** The texts that are there, each once. */
  readonly texts: Set<string>;
}

/** A client of one organization, and what its people do. */
export interface Organization extends Client<typeof SignService> {
  readonly orgId: string;
  /** Something that a recipient does. */
  decide(agreementId: string, decide: (agreement: Agreement, context: DecisionContext) => Change): Promise<Agreement>;
  /** The actions of the audit trail, in their order. */
  auditActions(agreementId: string): Promise<string[]>;
  /** The kinds of the jobs that wait, apart from mails. */
  jobs(agreementId: string): Promise<string[]>;
  countAgreements(): Promise<number>;
}

/** The RPCs of the life cycle on a database of their own; files are not looked into without an intake. */
export async function startLifecycle(options: { readonly intake?: Intake } = {}) {
  const database = await createTestDatabase();
  const { superuser } = database;
  const pool = createPool({ url: database.url, role: "assent_sign", max: 10, name: "sign" });
  const fake: FakeIntake = { onSearch: async () => {}, searches: 0, texts: new Set() };
  const deps: SignDeps = {
    pool,
    ...testSeals(pool),
    deletesNothing: false,
    abuseContact: "",
    ...{ senderKeys: [Buffer.alloc(32)], mailDomain: "", resolveTexts: async () => [] },
    intake: options.intake ?? fakeIntake(fake),
    evidenceLog: createFakeClick().client,
    renderer: createClient(
      RendererService,
      createMemoryTransport(() => undefined, { interceptors: [] }),
    ),
    organizations: {
      of: async () => ({ name: "Acme", sandbox: false }),
      known: () => ({ name: "Acme", sandbox: false }),
      sender: async () => unknownSender,
    },
    ...{
      sealReader: { read: async () => [] },
      publicSealReader: { read: async () => [] },
      verifierPool: pool,
      searcherPool: pool,
      eraserPool: pool,
    },
    witness: { confirm: async () => undefined },
    clock: { now: () => new Date() },
    newId,
    logger: createLogger("sign", "silent"),
    wakeRelay: () => {},
    wakeJobs: () => {},
  };
  return {
    fake,
    organization: () => organizationOf(deps, superuser),
    stop: async () => {
      await deps.intake.close();
      await pool.end();
      await database.drop();
    },
  };
}

const fakeIntake = (fake: FakeIntake): Intake => ({
  readTexts: async () => [],
  readWords: async () => ({ words: [], isWhole: true }),
  proposeTabs: async () => [],
  checkAttached: async () => Promise.reject(new Error("nobody attaches anything")),
  check: async (_orgId, files) =>
    files.map(({ documentId, name, content }) => {
      if (typeof content === "string") throw new TypeError("tests give bytes");
      const pages = [{ width: 612, height: 792 }];
      return {
        documentId,
        name,
        bytes: content,
        sha256: sha256Of(content),
        sentSha256: sha256Of(content),
        pages,
        isSigned: false,
        warnings: [],
      };
    }),
  findTexts: async (_orgId, files, wanted) => {
    fake.searches += 1;
    await fake.onSearch();
    const documentId = files[0]?.documentId ?? "";
    const place = { documentId, page: 1, left: 100, right: 130, baseline: 400 };
    return wanted.map(({ text }) => (fake.texts.has(text) ? [place] : []));
  },
  merge: () => Promise.reject(new Error("nothing is merged here")),
  prepareSeal: () => Promise.reject(new Error("nothing is sealed here")),
  extensions: async () => ["pdf"],
  freeSlots: () => 1,
  close: async () => {},
});

function organizationOf(deps: SignDeps, superuser: pg.Pool): Organization {
  const orgId = parseOrgId(randomUUID());
  if (orgId === undefined) throw new TypeError("a UUID is one");
  const caller: Caller = { orgId, clientId: "client", requestId: "request-1", traceparent: "" };
  const column = async (sql: string, agreementId: string): Promise<string[]> => {
    const { rows } = await superuser.query<{ value: string }>(sql, [orgId, agreementId]);
    return rows.map(({ value }) => value);
  };
  return {
    ...clientOf(deps, caller),
    orgId,
    decide: (id, decide) =>
      changeAgreement(deps, caller, { id, isTemplate: false }, (agreement) =>
        decide(agreement, { ...sampleContext(deps.clock.now()), newId: deps.newId }),
      ),
    auditActions: (id) =>
      column(
        "select action as value from sign.audit_event where organization_id = $1 and agreement_id = $2 order by sequence",
        id,
      ),
    jobs: (id) =>
      column(
        "select kind as value from sign.job where organization_id = $1 and agreement_id = $2 and kind <> 'mail' order by kind",
        id,
      ),
    countAgreements: async () => {
      const sql = "select count(*)::int as count from sign.agreement where organization_id = $1";
      const { rows } = await superuser.query<{ count: number }>(sql, [orgId]);
      return rows[0]?.count ?? 0;
    },
  };
}

function clientOf(deps: SignDeps, caller: Caller): Client<typeof SignService> {
  const logger = deps.logger;
  const interceptors = serverInterceptors({ service: "sign", logger, metrics: createMetrics() });
  const transport = createMemoryTransport(
    (router) => {
      router.service(SignService, {
        ...createAgreement(deps),
        ...sendAgreement(deps),
        ...voidAgreement(deps),
        ...remindAgreement(deps),
        ...resumeAgreement(deps),
      });
    },
    // A busy machine is no reason to fail.
    { interceptors, maxMessageBytes: 32 * 1024 * 1024, defaultTimeoutMs: 60_000 },
  );
  const headers = callerHeaders(caller);
  return createClient(SignService, {
    unary: (method, signal, timeoutMs, _header, input, values) =>
      transport.unary(method, signal, timeoutMs, headers, input, values),
    stream: transport.stream,
  });
}
