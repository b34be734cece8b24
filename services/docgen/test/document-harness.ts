import type { MessageInitShape } from "@bufbuild/protobuf";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type {
  CreateDocumentRequestSchema,
  CreateDocumentResponse,
  Document,
  DocumentSourceSchema,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { EventJson } from "#gen/assent/events/v1/events_pb.ts";
import { createPublished, type DocgenHarness, type Organization, present } from "./harness.ts";

type Source = MessageInitShape<typeof DocumentSourceSchema>;
type Request = MessageInitShape<typeof CreateDocumentRequestSchema>;

/** An organization of the largest plan with a published template that asks for a name. */
export interface Customer {
  readonly organization: Organization;
  readonly templateId: string;
  /** Asks for a document and does not wait for it. */
  ask(source?: Source, request?: Omit<Request, "source">): Promise<Document>;
  create(source?: Source, request?: Omit<Request, "source">): Promise<CreateDocumentResponse>;
}

export async function createCustomer(harness: Pick<DocgenHarness, "organization" | "auth">): Promise<Customer> {
  const organization = harness.organization();
  harness.auth.setPlan(organization.orgId, Plan.GEN_PAYG);
  const { id: templateId } = await createPublished(organization);
  const create: Customer["create"] = (source = {}, request = {}) =>
    organization.createDocument({
      source: { templateId, dataJson: '{"name":"Ada"}', ...(source as object) },
      ...(request as object),
    });
  return {
    organization,
    templateId,
    create,
    ask: async (source, request) => present((await create(source, request)).document),
  };
}

/** The row of a document as the database has it. */
export interface DocumentRow {
  readonly status: string;
  readonly slot: string | null;
  readonly claim: string | null;
  readonly attempts: number;
  readonly source: unknown;
  readonly deleted_at: Date | null;
}

export async function rowOf(harness: DocgenHarness, id: string): Promise<DocumentRow> {
  const { rows } = await harness.superuser.query<DocumentRow>("select * from docgen.document where id = $1", [id]);
  return present(rows[0]);
}

/** Slots that are taken of an organization's hours and of its minutes, in all windows. */
export async function usedOf(harness: DocgenHarness, orgId: string): Promise<{ hour: number; minute: number }> {
  const { rows } = await harness.superuser.query<{ seconds: number; used: number }>(
    "select seconds, sum(used)::integer as used from docgen.usage_window where organization_id = $1 group by 1",
    [orgId],
  );
  const of = (seconds: number) => rows.find((row) => row.seconds === seconds)?.used ?? 0;
  return { hour: of(3600), minute: of(60) };
}

export async function blobsOf(harness: DocgenHarness, orgId: string): Promise<number> {
  const { rows } = await harness.superuser.query("select from docgen.blob where organization_id = $1", [orgId]);
  return rows.length;
}

/** The events that stand in the outbox, in their order. */
export async function readEvents(harness: DocgenHarness, orgId: string): Promise<EventJson[]> {
  const { rows } = await harness.superuser.query<{ data: string }>(
    "select data from docgen.outbox where organization_id = $1 order by position",
    [orgId],
  );
  return rows.map(({ data }) => JSON.parse(data) as EventJson);
}

/** Adds a batch whose items wait to be rendered; returns their ids. */
export async function addBatch(harness: DocgenHarness, customer: Customer, count: number): Promise<string[]> {
  const { superuser } = harness;
  const { orgId } = customer.organization;
  const { rows } = await superuser.query<{ id: string }>(
    `insert into docgen.batch (organization_id, id, status, total, hour_start, created_by, request_id, traceparent, created_at)
     values ($1, gen_random_uuid(), 'queued', $2, now(), 'cl_test', 'request-1', '', now()) returning id`,
    [orgId, count],
  );
  const { rows: items } = await superuser.query<{ id: string }>(
    `insert into docgen.document (organization_id, id, status, batch_id, item_index, template_id, template_version, profile,
       file_name, locale, time_zone, source, created_by, request_id, traceparent, created_at)
     select $1, gen_random_uuid(), 'queued', $2, n, $3, 1, 'pdf', 'a.pdf', 'en', 'UTC',
       '{"title":"Item","content":{"kind":"version","data":{"name":"Item"}}}', 'cl_test', 'request-1', '',
       now() + n * interval '1 ms'
     from generate_series(0, $4::integer - 1) n returning id`,
    [orgId, present(rows[0]).id, customer.templateId, count],
  );
  await superuser.query("insert into docgen.turn values ($1, '-infinity', '-infinity') on conflict do nothing", [
    orgId,
  ]);
  return items.map(({ id }) => id);
}
