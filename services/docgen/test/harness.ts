import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import type pg from "pg";
import {
  type CreateTemplateRequestSchema,
  DocgenService,
  Format,
  RendererService,
  type Template,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { ErrorCode } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createTestClock,
  createTestProcess,
  createTestRuntime,
  organizationOn,
  type TestClock,
  type TestProcess,
  testCaller,
} from "#platform/testing/service-harness.ts";
import type { DocgenConfig } from "../config.ts";
import { createDocgenService, type DocgenServiceDeps } from "../service.ts";
import { createFakeAuth, type FakeAuth } from "./fake-auth.ts";

export interface DocgenProcess extends TestProcess {
  /** As other services call. */
  readonly renderer: Client<typeof RendererService>;
  /** As the gateway calls for this organization; a new one when none is given. */
  organization(orgId?: string): Organization;
}

/** A client of one organization. */
export interface Organization
  extends Client<typeof DocgenService>,
    Client<typeof PersonalDataService>,
    Client<typeof RetentionService> {
  readonly orgId: OrgId;
}

export interface DocgenHarness extends DocgenProcess {
  readonly database: TestDatabase;
  readonly auth: FakeAuth;
  readonly clock: TestClock;
  /** Sees and writes all rows. */
  readonly superuser: pg.Pool;
  /** One more process on the same database, otherwise as the first one. */
  another(changes?: DocgenOptions): Promise<DocgenProcess>;
}

export interface DocgenOptions
  extends Partial<Pick<DocgenServiceDeps, "auth" | "templates" | "convert" | "renderer" | "checker" | "work">> {
  readonly config?: Partial<DocgenConfig>;
}

export const { requestId, traceparent } = testCaller;

/** Starts the service without its workers on a database of its own. */
export async function startDocgen(options: DocgenOptions = {}): Promise<DocgenHarness> {
  const database = await createTestDatabase();
  const { superuser } = database;
  const clock = createTestClock();
  const auth = createFakeAuth();
  const processes: DocgenProcess[] = [];
  const another = async (changes: DocgenOptions = {}): Promise<DocgenProcess> => {
    const process = await createProcess(database, clock, { auth: auth.transport, ...options, ...changes });
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    database,
    auth,
    clock,
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
  options: DocgenOptions & { readonly auth: Transport },
): Promise<DocgenProcess> {
  const runtime = createTestRuntime("docgen", clock);
  const { config, templates = nobody, ...replaced } = options;
  const service = await createDocgenService(
    { databaseUrl: database.url, rendererProcesses: 1, ...config },
    { runtime, templates, ...replaced },
  );
  const maxMessageBytes = 32 * 1024 * 1024;
  const { transport, ...process } = createTestProcess("docgen", service, runtime, { maxMessageBytes });
  return {
    ...process,
    renderer: createClient(RendererService, transport),
    organization: (id) => {
      const { orgId, own } = organizationOn(transport, id);
      return {
        orgId,
        ...createClient(DocgenService, own),
        ...createClient(PersonalDataService, own),
        ...createClient(RetentionService, own),
      };
    },
  };
}

/** A service without a single RPC. */
const nobody = createMemoryTransport(() => undefined, { interceptors: [] });

/** A draft, changed as given. */
export async function createTemplate(
  organization: Organization,
  request: MessageInitShape<typeof CreateTemplateRequestSchema> = {},
): Promise<Template> {
  const response = await organization.createTemplate({
    name: "Offer",
    format: Format.HTML,
    content: "<p>Dear {{ name }}</p>",
    ...request,
  });
  return present(response.template);
}

export const publish = async (organization: Organization, templateId: string): Promise<Template> =>
  present((await organization.publishTemplate({ templateId })).template);

/** A template with one published version. */
export async function createPublished(
  organization: Organization,
  request: MessageInitShape<typeof CreateTemplateRequestSchema> = {},
): Promise<Template> {
  const { id } = await createTemplate(organization, request);
  return publish(organization, id);
}

/** The fields that an error of this code names. */
export async function problemFields(promise: Promise<unknown>, code: ErrorCode): Promise<string[]> {
  return (await expectDomainError(promise, code)).details.map((detail) => detail.field);
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the value is absent");
  return value;
}
