import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import type pg from "pg";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { NoticeReaderSchema } from "#gen/assent/auth/v1/notices_pb.ts";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import {
  createTestClock,
  createTestProcess,
  createTestRuntime,
  organizationOn,
  type TestClock,
  type TestProcess,
} from "#platform/testing/service-harness.ts";
import type { SignConfig } from "../config.ts";
import { smallestPdf } from "../intake/merge-pdfs.ts";
import type { RecordHolders } from "../retention/periods.ts";
import { makeTestCertificate } from "../seal/test-certificate.ts";
import { createSignService, maxMessageBytes, type SignServiceDeps } from "../service.ts";
import { createFakeClick, createFakeRecords, type FakeClick, type FakeRecords } from "./fake-click.ts";

/** A client of one organization. */
export interface Organization extends Client<typeof SignService>, Client<typeof PersonalDataService> {
  readonly orgId: OrgId;
}

export interface SignProcess extends TestProcess {
  /** As the pages of people who sign call. */
  readonly signing: Client<typeof SigningService>;
  /** As the gateway calls for this organization; a new one when none is given. */
  organization(orgId?: string): Organization;
}

export interface SignHarness extends SignProcess {
  readonly database: TestDatabase;
  readonly auth: FakeAuth;
  readonly click: FakeClick;
  readonly records: FakeRecords;
  readonly clock: TestClock;
  /** What the processes have, unless they are given another one. */
  readonly masterKey: string;
  /** Sees and writes all rows. */
  readonly superuser: pg.Pool;
  /** One more process on the same database, otherwise as the first one. */
  another(changes?: SignOptions): Promise<SignProcess>;
}

/** Without an intake, real processes look into documents, started when they are needed. */
export interface SignOptions
  extends Partial<Pick<SignServiceDeps, "auth" | "docgen" | "click" | "intake" | "resolveTexts">> {
  readonly config?: Partial<SignConfig>;
}

/** Starts the service without its workers on a database of its own. */
export async function startSign(options: SignOptions = {}): Promise<SignHarness> {
  const database = await createTestDatabase();
  const { superuser } = database;
  const clock = createTestClock();
  const [auth, click, records] = [createFakeAuth(), createFakeClick(), createFakeRecords()];
  const fakes = { auth: auth.transport, click: click.transport, records: records.holders };
  const processes: SignProcess[] = [];
  const masterKey = randomBytes(32).toString("base64");
  const another = async (changes: SignOptions = {}): Promise<SignProcess> => {
    const config = { masterKey, ...options.config, ...changes.config };
    const process = await createProcess(database, clock, { ...fakes, ...options, ...changes, config });
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    database,
    auth,
    click,
    records,
    clock,
    masterKey,
    superuser,
    another,
    stop: async () => {
      for (const process of processes) await process.stop();
      await database.drop();
    },
  };
}

async function createProcess(
  database: TestDatabase,
  clock: Clock,
  {
    config,
    docgen = fakeDocgen,
    ...replaced
  }: SignOptions & { readonly auth: Transport; readonly click: Transport; readonly records: RecordHolders } & {
    readonly config: Partial<SignConfig> & Pick<SignConfig, "masterKey">;
  },
): Promise<SignProcess> {
  const runtime = createTestRuntime("sign", clock);
  const service = await createSignService(
    // With a place for one alone, a spare one would start with each first file, for nobody.
    { databaseUrl: database.url, intakeProcesses: 2, seal: await testSeal(), ...config },
    { runtime, docgen, webhooks: nobody, ...replaced },
  );
  const { transport, ...process } = createTestProcess("sign", service, runtime, { maxMessageBytes });
  return {
    ...process,
    signing: createClient(SigningService, transport),
    organization: (id) => {
      const { orgId, own } = organizationOn(transport, id);
      return { orgId, ...createClient(SignService, own), ...createClient(PersonalDataService, own) };
    },
  };
}

type TestSeal = Awaited<ReturnType<typeof makeTestCertificate>>;

let made: Promise<TestSeal> | undefined;
/** One for all tests of a file. */
export const testSeal = (): Promise<TestSeal> => {
  made ??= makeTestCertificate({ name: "Test seal", now: new Date(Date.now() - 60_000), years: 1 });
  return made;
};

/** A service without a single RPC. */
const nobody = createMemoryTransport(() => undefined, { interceptors: [] });

/** Prints everything as an empty page. */
const fakeDocgen = createMemoryTransport(
  (router) => {
    router.service(RendererService, { renderHtml: () => ({ pdf: smallestPdf, pages: 1 }) });
  },
  { interceptors: [], maxMessageBytes },
);

interface FakeAuth {
  readonly transport: Transport;
  /** Without this, an organization is called "Acme" and is no sandbox. */
  setOrganization(orgId: string, facts: { readonly name: string; readonly sandbox: boolean }): void;
  /** Who is told of agreements of a sender; nobody otherwise. */
  setReaders(senderId: string, readers: readonly MessageInitShape<typeof NoticeReaderSchema>[]): void;
  /** While it is away, every call fails. */
  setAway(isAway: boolean): void;
}

/** An auth service that knows organizations and nothing else. */
function createFakeAuth(): FakeAuth {
  const organizations = new Map<string, { readonly name: string; readonly sandbox: boolean }>();
  const readersOf = new Map<string, readonly MessageInitShape<typeof NoticeReaderSchema>[]>();
  let away = false;
  const transport = createMemoryTransport(
    (router) => {
      router.service(TokenService, {
        describeOrganization: ({ organizationId: id }) => {
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          return { organization: { id, name: "Acme", sandbox: false, ...organizations.get(id) } };
        },
        describeCaller: ({ clientId }) => {
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          return { name: `Key of ${clientId}`, organizationName: "Acme" };
        },
        findNoticeReaders: ({ senderId }) => {
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          return { readers: [...(readersOf.get(senderId) ?? [])] };
        },
      });
    },
    { interceptors: [] },
  );
  return {
    transport,
    setOrganization: (orgId, facts) => {
      organizations.set(orgId, facts);
    },
    setReaders: (senderId, readers) => {
      readersOf.set(senderId, readers);
    },
    setAway: (isAway) => {
      away = isAway;
    },
  };
}
