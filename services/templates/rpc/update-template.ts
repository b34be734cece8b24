import { recordsOf } from "#api/records.ts";
import {
  type Counterparty as CounterpartyMessage,
  CounterpartySchema,
  type CreateTemplateRequest,
  CreateTemplateRequestSchema,
  TemplateChangesSchema,
  TemplateStatus,
  type UpdateTemplateRequest,
  TemplateType as WireType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { isSlugTaken } from "#platform/db/slugs.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { parseLocale } from "#platform/locale.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { parseSlug } from "#platform/slug.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import { isPerson, mayBringBack } from "../domain/approval.ts";
import { metadataProblems, type NewTemplate } from "../domain/new-template.ts";
import { parsePolicyFlags } from "../domain/policy.ts";
import { invalid, problem, refusal, refuse } from "../domain/problems.ts";
import { type Counterparty, changeTemplate, type Template, type TemplateChanges } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import { type TemplateType, typeConfigProblems, typeConfigSizeProblems } from "../domain/type-config.ts";
import { draftTextOf, type Version } from "../domain/version.ts";
import { policyChanged, settingsChanged, templateRestored } from "../events.ts";
import { holdFourEyes, voidApprovals } from "../store/approval-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { findDraft, findVersion, listSchedulesOf, listVersions } from "../store/version-store.ts";
import { readMasked, when } from "./configuration.ts";
import { renewSnapshots } from "./deployment-rules.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { publicationSubject, requirePublishable } from "./publish-version.ts";
import { describeTemplates } from "./views.ts";

type Deps = Pick<TemplatesDeps, "orm" | "checker" | "clock" | "newId" | "wakeRelay">;

export const updateTemplate = (deps: Deps): TemplatesRpcs<"updateTemplate"> => ({
  async updateTemplate(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const changes = parseTemplateChanges(request);
    const id = parseTemplateId(request.templateId);
    if (changes.typeConfig !== undefined || changes.type !== undefined) await checkBeforehand(deps, orgId, id, changes);
    const work = inOrganization(orgId, deps.orm, async (tenant) => {
      const fourEyes = concernsText(changes) && (await holdFourEyes(tenant));
      const template = await lockTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const update = changeTemplate(template, changes);
      const now = deps.clock.now();
      if (fourEyes) await watchOverText({ deps, caller, tenant, now }, id, update);
      const before = template.policyFlags;
      if (Object.keys(update).length > 0) Object.assign(template, update, { updatedAt: now });
      if (update.typeConfig !== undefined || update.type !== undefined) {
        await requireStillPublishable(deps.checker, template, await readPublished(tenant, id));
      }
      if (update.archivedAt === null) {
        await insertOutboxEm(tenant.em, schema, [templateRestored({ caller, eventId: deps.newId(), now }, id)]);
      }
      if (update.policyFlags !== undefined) {
        await renewSnapshots(tenant, template, now);
        const context = { caller, eventId: deps.newId(), now };
        await insertOutboxEm(tenant.em, schema, policyChanged(context, id, { before, after: update.policyFlags }));
      }
      const [message] = await describeTemplates(tenant, [template], { includeVersions: false });
      return { template: message };
    });
    const response = await work.catch((error: unknown) => {
      throw isSlugTaken(error) ? new DomainError("CLICK_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
    });
    deps.wakeRelay();
    return response;
  },
});

const concernsText = ({ type, typeConfig, counterparty, restore }: TemplateChanges): boolean =>
  [type, typeConfig, counterparty, restore].some((change) => change !== undefined);

interface Act {
  readonly deps: Pick<Deps, "newId">;
  readonly caller: Caller;
  readonly tenant: OrmTenant;
  readonly now: Date;
}

/**
 * While every text needs a second person, no program changes what texts are shown with that are published or scheduled,
 * such as the names of purposes, and nobody puts back alone what they have written. What people do is written down. As
 * long as neither is the case, a change voids what was approved of. Throws CLICK_APPROVAL_REQUIRED.
 */
async function watchOverText(act: Act, id: string, update: Partial<Template>): Promise<void> {
  const { deps, caller, tenant, now } = act;
  const settings = (["type", "typeConfig", "counterparty"] as const).filter((field) => update[field] !== undefined);
  const fields = [...settings, ...(update.archivedAt === undefined ? [] : ["archivedAt"])];
  if (fields.length === 0) return;
  const published = await listVersions(tenant, { templateIds: [id], publishedOnly: true });
  if (published.length === 0 && (await listSchedulesOf(tenant, [id])).length === 0) {
    // Whoever has approved of a text has seen it with the settings of before.
    if (settings.length > 0) await voidApprovals(tenant, id);
    return;
  }
  const { clientId } = caller;
  if (update.archivedAt === null && !mayBringBack(clientId, published)) throw new DomainError(...notAlone);
  if (!isPerson(clientId)) throw new DomainError(...notByProgram);
  const told = { caller, eventId: deps.newId(), now };
  await insertOutboxEm(tenant.em, schema, [settingsChanged(told, id, fields)]);
}

const notAlone = [
  "CLICK_APPROVAL_REQUIRED",
  {
    message:
      "Restoring this template makes its published texts live again. Someone who is signed in and wrote none of them has to do it.",
  },
] as const;

const notByProgram = [
  "CLICK_APPROVAL_REQUIRED",
  {
    message:
      "Published and scheduled texts are shown with these settings. While your organization requires approvals, a person who is signed in has to change them.",
  },
] as const;

/** Checking long content takes time, so it happens before any lock is taken. */
async function checkBeforehand(deps: Deps, orgId: OrgId, id: string, changes: TemplateChanges): Promise<void> {
  const ahead = await inOrganization(orgId, deps.orm, async (tenant) => {
    const template = await findTemplate(tenant, id);
    if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
    const { type, typeConfig } = { ...template, ...changeTemplate(template, changes) };
    return { terms: { type, typeConfig }, versions: await readPublished(tenant, id) };
  });
  await checkAhead(deps.checker, ahead.terms, ahead.versions);
}

const standardLocale = "en";

const created = recordsOf(CreateTemplateRequestSchema, { type: WireType });
const changed = recordsOf(TemplateChangesSchema, { type: WireType, status: TemplateStatus });
const parties = recordsOf(CounterpartySchema, {});

/** Reads a new template; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
export function parseNewTemplate(request: CreateTemplateRequest): NewTemplate {
  const { slug, type, defaultLocale, typeConfig, policyFlags, counterparty, brandId, ...plain } = created.read(request);
  const input: NewTemplate = {
    ...plain,
    slug: slug && parseSlug(slug, refusal),
    type: requireType(type),
    defaultLocale: parseDefaultLocale(defaultLocale),
    typeConfig: typeConfig ?? {},
    policyFlags: parsePolicyFlags(policyFlags ?? {}),
    counterparty: parseCounterparty(counterparty),
    brandId: brandId?.toLowerCase() ?? null,
  };
  refuse([...problemsOf(input), ...typeConfigProblems(input.type, input.typeConfig)]);
  return input;
}

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
function parseTemplateChanges(request: UpdateTemplateRequest): TemplateChanges {
  const { changes: given } = readMasked(changed, {
    field: "changes",
    message: request.changes,
    updateMask: request.updateMask,
  });
  const { name, slug, type, defaultLocale, typeConfig, policyFlags, counterparty, status, brandId, ...plain } = given;
  const changes: TemplateChanges = {
    ...plain,
    ...defined({
      name: when(name, (text) => required("name", text)),
      slug: when(slug, (text) => parseSlug(required("slug", text), refusal)),
      type: when(type, requireType),
      defaultLocale: when(defaultLocale, parseDefaultLocale),
      typeConfig: when(typeConfig, (config) => config ?? {}),
      policyFlags: when(policyFlags, (flags) => parsePolicyFlags(flags ?? {})),
      counterparty: when(counterparty, parseCounterparty),
      brandId: when(brandId, (id) => id?.toLowerCase() ?? null),
      restore: when(status, requireRestore),
    }),
  };
  // What else may be wrong with the configuration depends on the template's type.
  refuse([...problemsOf(changes), ...typeConfigSizeProblems(changes.typeConfig ?? {})]);
  return changes;
}

const problemsOf = (input: TemplateChanges | NewTemplate): FieldProblem[] => [
  ...unstorableTexts("", input),
  ...metadataProblems(input.metadata ?? {}),
];

/** Setting DRAFT again on a template that is not archived changes nothing, so that a retry of a restore succeeds. */
function requireRestore(status: string | null): true {
  if (status === "DRAFT") return true;
  const message = "can only be set to DRAFT, which restores an archived template";
  throw invalid(problem("status", "INVALID_STATUS", message));
}

function requireType(type: TemplateType | null): TemplateType {
  if (type !== null) return type;
  throw invalid(problem("type", "INVALID_TYPE", "must be STATIC, GENERATED or CONSENT"));
}

const parseDefaultLocale = (tag: string | null): string =>
  tag === null ? standardLocale : parseLocale("defaultLocale", tag, refusal);

const parseCounterparty = (message: CounterpartyMessage | null): Counterparty | null =>
  message && parties.read(message);

function required(field: string, value: string | null): string {
  if (value === null) throw invalid(problem(field, "REQUIRED", "cannot be cleared"));
  return value;
}

/** What decides, besides a content itself, whether it may be published. */
type Terms = Pick<Template, "type" | "typeConfig">;

/** What is published of a template, and what is scheduled to be, each as it is or will be. */
async function readPublished(tenant: OrmTenant, templateId: string): Promise<Version[]> {
  const published = await listVersions(tenant, { templateIds: [templateId], publishedOnly: true });
  const scheduled = await listSchedulesOf(tenant, [templateId]);
  for (const { versionId: id } of scheduled) {
    const version = await findVersion(tenant, { templateId, id });
    if (version === null) continue;
    const draft = version.status === "PUBLISHED" ? await findDraft(tenant, id) : null;
    published.push({ ...version, ...(draft === null ? {} : draftTextOf(draft)) });
  }
  return published;
}

/**
 * Throws CLICK_CONTENT_INVALID when one of these versions could not be published with this configuration: a
 * change must not remove what published versions need, such as a consent's purposes or a variable used in the
 * text.
 */
async function requireStillPublishable(
  checker: ContentChecker,
  terms: Terms,
  versions: readonly Version[],
): Promise<void> {
  for (const version of versions) await requirePublishable(checker, publicationSubject(terms, version));
}

/** Checks the same without an error, so that the reports are remembered when they are asked for with locks held. */
async function checkAhead(checker: ContentChecker, terms: Terms, versions: readonly Version[]): Promise<void> {
  for (const version of versions) await checker.check(publicationSubject(terms, version));
}
