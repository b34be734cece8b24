import { randomUUID } from "node:crypto";
import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Client, createClient, createRouterTransport, type Transport } from "@connectrpc/connect";
import type pg from "pg";
import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import {
  type CreateTemplateRequestSchema,
  type CreateVersionRequestSchema,
  type Template,
  type TemplateJson,
  TemplateSchema,
  TemplatesService,
  TemplateType,
  type UpdateTemplateRequestSchema,
  type Version,
  type VersionJson,
  VersionSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { DomainError, type ErrorCode, toConnectError } from "#platform/errors.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Service } from "#platform/service.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  createTestClock,
  createTestProcess,
  createTestRuntime,
  organizationOn,
  type TestClock,
  testCaller,
} from "#platform/testing/service-harness.ts";
import type { TemplatesConfig } from "../config.ts";
import type { CheckLimits } from "../content-check/check-pool.ts";
import { createTemplatesService } from "../service.ts";

export interface TemplatesProcess {
  readonly service: Service;
  /** As the click service calls: without a caller. */
  readonly client: Client<typeof TemplatesService>;
  /** As the gateway calls for this organization, a new one when none is given, and for this client or person of it. */
  organization(orgId?: string, clientId?: string): Organization;
}

/** A client of one organization. */
export interface Organization extends Client<typeof TemplatesService> {
  readonly orgId: OrgId;
}

export interface TemplatesHarness extends TemplatesProcess {
  readonly clock: TestClock;
  readonly bus: EventBus;
  readonly databaseUrl: string;
  /** Sees and writes all rows. */
  readonly superuser: pg.Pool;
  /** One more process on the same database. */
  another(): Promise<TemplatesProcess>;
  stop(): Promise<void>;
}

/** However busy the machine is. */
const patientCheckLimits: CheckLimits = { waitMs: 60_000, deadlineMs: 60_000, patienceMs: 60_000 };

export const { clientId, requestId, traceparent } = testCaller;

/** Ids that name nothing, well-formed or not. */
export const unknownIds = [randomUUID(), "", "x", "\u0000"];

/** Starts the service without its workers on a database of its own. */
export async function startTemplates(
  options: {
    /** The service acts as a superuser, for whom row-level security does not hold. */
    readonly bypassRowSecurity?: boolean;
    readonly checkLimits?: CheckLimits;
    readonly screenshotBytes?: number;
  } = {},
): Promise<TemplatesHarness> {
  const database = await createTestDatabase();
  const { superuser } = database;
  const clock = createTestClock(Date.UTC(2026, 10, 20, 17, 0, 0, 123));
  const bus = createMemoryBus();
  const { checkLimits = patientCheckLimits, bypassRowSecurity, ...limits } = options;
  const config = bypassRowSecurity
    ? { databaseUrl: database.superuserUrl, databaseRole: "-", checkLimits, ...limits }
    : { databaseUrl: database.url, checkLimits, ...limits };
  const processes: TemplatesProcess[] = [];
  const another = async (): Promise<TemplatesProcess> => {
    const process = await createProcess(config, clock, bus);
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    clock,
    bus,
    databaseUrl: database.url,
    superuser,
    another,
    stop: async () => {
      for (const { service } of processes) await service.close();
      await bus.close();
      await database.drop();
    },
  };
}

async function createProcess(config: TemplatesConfig, clock: Clock, bus: EventBus): Promise<TemplatesProcess> {
  const runtime = createTestRuntime("templates", clock, bus);
  const service = await createTemplatesService(config, { runtime, sign: pdfChecker() });
  const { transport } = createTestProcess("templates", service, runtime);
  return {
    service,
    client: createClient(TemplatesService, transport),
    organization: (id, by) => {
      const { orgId, own } = organizationOn(transport, id, by);
      return { orgId, ...createClient(TemplatesService, own) };
    },
  };
}

/** The sign service as far as it checks PDFs: takes what begins like one, and has each line of it as a paragraph. */
export function pdfChecker(): Transport {
  return createRouterTransport(({ service }) => {
    service(SignService, {
      checkPdf: async ({ content }) => {
        const sent = Buffer.from(content);
        if (!sent.includes("%PDF-")) {
          throw toConnectError(new DomainError("CORRUPTED_DOCUMENT", { message: "The file is not a PDF." }));
        }
        const text = sent.toString("utf8").split("\n").slice(1);
        return {
          content: Buffer.concat([sent, Buffer.from("\n%rewritten")]),
          pages: [{ width: 612, height: 792.004, text }],
        };
      },
    });
  });
}

export async function createTemplate(
  organization: Organization,
  request: MessageInitShape<typeof CreateTemplateRequestSchema> = {},
): Promise<Template> {
  const { template } = await organization.createTemplate({ name: "Terms", type: TemplateType.STATIC, ...request });
  return present(template);
}

export const getTemplate = async (organization: Organization, templateId: string): Promise<Template> =>
  present((await organization.getTemplate({ templateId })).template);

type Changes = NonNullable<MessageInitShape<typeof UpdateTemplateRequestSchema>["changes"]>;

/** Updates the fields of these paths. */
export async function updateTemplate(
  organization: Organization,
  templateId: string,
  paths: string[],
  changes: Changes,
): Promise<Template> {
  return present((await organization.updateTemplate({ templateId, changes, updateMask: { paths } })).template);
}

export async function createVersion(
  organization: Organization,
  templateId: string,
  request: MessageInitShape<typeof CreateVersionRequestSchema> = {},
): Promise<Version> {
  const { version } = await organization.createVersion({
    templateId,
    locale: "en",
    content: "<p>Terms</p>",
    ...request,
  });
  return present(version);
}

export async function publish(
  organization: Organization,
  version: Pick<Version, "id" | "templateId">,
  requireReacceptance = true,
): Promise<Version> {
  const { id: versionId, templateId } = version;
  const response = await organization.publishVersion({ templateId, versionId, published: true, requireReacceptance });
  return present(response.version);
}

export async function unpublish(
  organization: Organization,
  version: Pick<Version, "id" | "templateId">,
): Promise<Version> {
  const { id: versionId, templateId } = version;
  return present((await organization.publishVersion({ templateId, versionId, published: false })).version);
}

/** A template with one published version. */
export async function createPublished(
  organization: Organization,
  request: MessageInitShape<typeof CreateTemplateRequestSchema> = {},
): Promise<{ template: Template; version: Version }> {
  const template = await createTemplate(organization, request);
  const version = await publish(organization, await createVersion(organization, template.id));
  return { template, version };
}

export async function archiveTemplate({ superuser, clock }: TemplatesHarness, templateId: string): Promise<void> {
  await superuser.query("update templates.template set archived_at = $2 where id = $1", [templateId, clock.now()]);
}

export async function archiveVersion({ superuser, clock }: TemplatesHarness, versionId: string): Promise<void> {
  const sql = "update templates.version set status = 'ARCHIVED', archived_at = $2 where id = $1";
  await superuser.query(sql, [versionId, clock.now()]);
}

/** Writes another text into a version that is not published. */
export async function editVersion({ superuser }: TemplatesHarness, versionId: string, content: string): Promise<void> {
  await superuser.query(
    `update templates.version set content = $2,
       content_hash = 'sha256:' || encode(sha256(convert_to($2, 'UTF8')), 'hex') where id = $1`,
    [versionId, content],
  );
}

/** The events that an organization's changes wrote, in their order. */
export async function readEvents({ superuser }: TemplatesHarness, orgId: string): Promise<EventJson[]> {
  const sql = "select data from templates.outbox where organization_id = $1 order by position";
  const { rows } = await superuser.query<{ data: string }>(sql, [orgId]);
  return rows.map((row) => JSON.parse(row.data) as EventJson);
}

/** The JSON form, which has absent fields neither as undefined nor at all. */
export const templateJson = (template: Template | undefined): TemplateJson => toJson(TemplateSchema, present(template));

/** See templateJson. */
export const versionJson = (version: Version | undefined): VersionJson => toJson(VersionSchema, present(version));

/** The fields that an error of this code names. */
export async function problemFields(promise: Promise<unknown>, code: ErrorCode): Promise<string[]> {
  return (await expectDomainError(promise, code)).details.map((detail) => detail.field);
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the value is absent");
  return value;
}
