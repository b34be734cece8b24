import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type SkippedTemplate,
  SkipReason,
  type TemplateConfiguration,
  TemplateStatus,
  type UpdateVersionRequestSchema,
  type Version,
  type VersionDraft,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { until } from "#platform/testing/until.ts";
import { type Organization, present, readEvents, type TemplatesHarness, updateTemplate } from "./harness.ts";

/** What a CONSENT template needs before anything of it can be published. */
export const consentConfig = {
  controller: { name: "Acme" },
  withdrawalMethod: "By mail",
  purposes: [{ key: "news", name: "News" }],
};

type Named = Pick<Version, "id" | "templateId">;
type Changes = NonNullable<MessageInitShape<typeof UpdateVersionRequestSchema>["changes"]>;

/** Updates the fields of these paths. */
export async function updateVersion(
  organization: Organization,
  { id: versionId, templateId }: Named,
  paths: string[],
  changes: Changes,
): Promise<Version> {
  const response = await organization.updateVersion({ templateId, versionId, changes, updateMask: { paths } });
  return present(response.version);
}

/** Writes the next text of a published version. */
export async function saveDraft(
  organization: Organization,
  { id: versionId, templateId }: Named,
  content: string,
  ifUpdatedAt?: Timestamp,
): Promise<VersionDraft> {
  const known = ifUpdatedAt === undefined ? {} : { ifUpdatedAt };
  return present((await organization.putVersionDraft({ templateId, versionId, content, ...known })).draft);
}

/** Has a version, or its draft, published at that time. */
export async function schedule(
  organization: Organization,
  { id: versionId, templateId }: Named,
  publishAt: Date,
  requireReacceptance = true,
): Promise<Version> {
  const request = {
    templateId,
    versionId,
    published: true,
    requireReacceptance,
    publishAt: timestampFromDate(publishAt),
  };
  return present((await organization.publishVersion(request)).version);
}

export const archive = async (organization: Organization, version: Named): Promise<Version> =>
  present((await organization.archiveVersion({ templateId: version.templateId, versionId: version.id })).version);

export const getVersion = async (organization: Organization, version: Named): Promise<Version> =>
  present((await organization.getVersion({ templateId: version.templateId, versionId: version.id })).version);

export const restore = (organization: Organization, templateId: string) =>
  updateTemplate(organization, templateId, ["status"], { status: TemplateStatus.DRAFT });

export async function bulkArchive(organization: Organization, ...templateIds: string[]) {
  const { archived, skipped } = await organization.bulkArchiveTemplates({ templateIds });
  return { archived, skipped: skippedAs(skipped) };
}

export async function bulkDuplicate(organization: Organization, templateIds: string[], namePattern?: string) {
  const request = namePattern === undefined ? { templateIds } : { templateIds, namePattern };
  const { duplicates, skipped } = await organization.bulkDuplicateTemplates(request);
  return { duplicates: duplicates.map(({ $typeName: _, ...copy }) => copy), skipped: skippedAs(skipped) };
}

const reasons = new Map<SkipReason, string>(
  Object.entries(SkipReason).map(([name, value]) => [value, name.toLowerCase()]),
);

/** As the API answers them, but in one text. */
const skippedAs = (skipped: readonly SkippedTemplate[]) =>
  skipped.map(({ id, reason }) => `${id} ${reasons.get(reason)}`);

export const getConfiguration = async (
  organization: Organization,
  templateId: string,
): Promise<TemplateConfiguration> =>
  present((await organization.getTemplateConfiguration({ templateId })).configuration);

export const applyFlags = async (
  organization: Organization,
  templateId: string,
  policyFlags: JsonObject,
): Promise<TemplateConfiguration> =>
  present((await organization.applyPolicyFlags({ templateId, policyFlags })).configuration);

/** The subjects of an organization's events, in their order and without what they have in common. */
export const readSubjects = async (harness: TemplatesHarness, orgId: string): Promise<string[]> =>
  (await readEvents(harness, orgId)).map((event) => (event.subject ?? "").replace("assent.templates.", ""));

/** The columns of a template that a copy has to be given: all but those that are made of others. */
export async function storedColumns({ superuser }: TemplatesHarness): Promise<string> {
  const { rows } = await superuser.query<{ columns: string }>(
    `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_schema = 'templates' and table_name = 'template' and is_generated = 'NEVER'`,
  );
  return rows[0]?.columns ?? "";
}

/** Runs a statement as the superuser in a transaction that stays open until the function that is given ends it. */
export async function actByHand({ superuser }: TemplatesHarness, sql: string, values: readonly unknown[]) {
  const client = await superuser.connect();
  await client.query("begin");
  await client.query(sql, [...values]);
  return async (end: "commit" | "rollback"): Promise<void> => {
    await client.query(end);
    client.release();
  };
}

/** Resolves when so many statements of the database wait for somebody else's transaction. */
export async function untilWaiting({ superuser }: TemplatesHarness, count: number): Promise<void> {
  const sql = `select count(*)::integer as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await superuser.query<{ n: number }>(sql)).rows[0]?.n === count);
}
