import type { ServiceImpl } from "@connectrpc/connect";
import type {
  TemplateChanges as ChangesMessage,
  Counterparty as CounterpartyMessage,
  CreateTemplateRequest,
  TemplatesService,
  UpdateTemplateRequest,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import { parseLocale } from "../domain/locale.ts";
import { metadataProblems, type NewTemplate } from "../domain/new-template.ts";
import { parsePolicyFlags } from "../domain/policy.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { parseSlug } from "../domain/slug.ts";
import { type Counterparty, changeTemplate, type Template, type TemplateChanges } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import type { TemplateType } from "../domain/type-config.ts";
import { typeConfigProblems, typeConfigSizeProblems } from "../domain/type-config.ts";
import type { Version } from "../domain/version.ts";
import { templateRestored } from "../events.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { isSlugTaken } from "../store/slug-store.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { listVersions } from "../store/version-store.ts";
import { renewSnapshots } from "./deployment-rules.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { publicationSubject, requirePublishable } from "./publish-version.ts";
import { describeTemplates } from "./views.ts";
import { fromWire, wireTemplateStatus, wireType } from "./wire-enums.ts";

type Deps = Pick<TemplatesDeps, "orm" | "checker" | "clock" | "newId" | "wakeRelay">;

export const updateTemplate = (deps: Deps): Pick<ServiceImpl<typeof TemplatesService>, "updateTemplate"> => ({
  async updateTemplate(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const changes = parseTemplateChanges(request);
    const id = parseTemplateId(request.templateId);
    if (changes.typeConfig !== undefined) await checkBeforehand(deps, orgId, id, changes);
    const work = inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await lockTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const update = changeTemplate(template, changes);
      const now = deps.clock.now();
      if (Object.keys(update).length > 0) Object.assign(template, update, { updatedAt: now });
      if (update.typeConfig !== undefined) {
        await requireStillPublishable(deps.checker, template, await readPublished(tenant, id));
      }
      if (update.archivedAt === null) {
        await insertOutboxEm(tenant.em, schema, [templateRestored({ caller, eventId: deps.newId(), now }, id)]);
      }
      if (update.policyFlags !== undefined) await renewSnapshots(tenant, template, now);
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

/** A long content takes its time to check; nobody should wait for the locks meanwhile. */
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

/** Reads a new template; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
export function parseNewTemplate(request: CreateTemplateRequest): NewTemplate {
  const input: NewTemplate = {
    name: request.name,
    slug: request.slug === undefined ? null : parseSlug(request.slug),
    type: parseType(request.type),
    description: request.description ?? null,
    defaultLocale: parseDefaultLocale(request.defaultLocale),
    typeConfig: request.typeConfig ?? {},
    policyFlags: parsePolicyFlags(request.policyFlags ?? {}),
    counterparty: parseCounterparty(request.counterparty),
    metadata: request.metadata,
  };
  refuse([...problemsOf(input), ...typeConfigProblems(input.type, input.typeConfig)]);
  return input;
}

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
function parseTemplateChanges(request: UpdateTemplateRequest): TemplateChanges {
  const message = request.changes;
  const paths = request.updateMask?.paths ?? [];
  if (message === undefined) throw invalid(problem("changes", "REQUIRED", "must be given"));
  const unknown = paths.filter((path) => !Object.hasOwn(readers, path));
  refuse(unknown.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  const changes: TemplateChanges = Object.assign(
    {},
    ...paths.map((path) => readers[path as keyof typeof readers](message)),
  );
  // What else may be wrong with the configuration depends on the template's type.
  refuse([...problemsOf(changes), ...typeConfigSizeProblems(changes.typeConfig ?? {})]);
  return changes;
}

const problemsOf = (input: TemplateChanges | NewTemplate): FieldProblem[] => [
  ...unstorableTexts("", input),
  ...metadataProblems(input.metadata ?? {}),
];

/** By the paths of the mask. */
const readers = {
  name: (changes: ChangesMessage) => ({ name: required("name", changes.name) }),
  slug: (changes: ChangesMessage) => ({ slug: parseSlug(required("slug", changes.slug)) }),
  type: (changes: ChangesMessage) => ({ type: parseType(changes.type) }),
  description: (changes: ChangesMessage) => ({ description: changes.description ?? null }),
  default_locale: (changes: ChangesMessage) => ({ defaultLocale: parseDefaultLocale(changes.defaultLocale) }),
  type_config: (changes: ChangesMessage) => ({ typeConfig: changes.typeConfig ?? {} }),
  policy_flags: (changes: ChangesMessage) => ({ policyFlags: parsePolicyFlags(changes.policyFlags ?? {}) }),
  counterparty: (changes: ChangesMessage) => ({ counterparty: parseCounterparty(changes.counterparty) }),
  metadata: (changes: ChangesMessage) => ({ metadata: changes.metadata }),
  status: (changes: ChangesMessage) => parseRestore(changes),
} satisfies Record<string, (changes: ChangesMessage) => TemplateChanges>;

/** Setting DRAFT again on a template that is not archived changes nothing, so that a retry of a restore succeeds. */
function parseRestore(changes: ChangesMessage): TemplateChanges {
  if (fromWire(wireTemplateStatus, changes.status) === "DRAFT") return { restore: true };
  const message = "can only be set to DRAFT, which restores an archived template";
  throw invalid(problem("status", "INVALID_STATUS", message));
}

function parseType(value: number | undefined): TemplateType {
  const type = fromWire(wireType, value);
  if (type !== undefined) return type;
  throw invalid(problem("type", "INVALID_TYPE", "must be STATIC, GENERATED or CONSENT"));
}

const parseDefaultLocale = (tag: string | undefined): string =>
  tag === undefined ? standardLocale : parseLocale("defaultLocale", tag);

const parseCounterparty = (message: CounterpartyMessage | undefined): Counterparty | null =>
  message === undefined
    ? null
    : { legalName: message.legalName, address: message.address ?? null, url: message.url ?? null };

function required(field: string, value: string | undefined): string {
  if (value === undefined) throw invalid(problem(field, "REQUIRED", "cannot be cleared"));
  return value;
}

/** What decides, besides a content itself, whether it may be published. */
type Terms = Pick<Template, "type" | "typeConfig">;

/** The versions of a template that are published, with their contents. */
const readPublished = (tenant: OrmTenant, templateId: string): Promise<Version[]> =>
  listVersions(tenant, { templateIds: [templateId], publishedOnly: true });

/**
 * Throws CLICK_CONTENT_INVALID when one of these versions could not be published on these terms: a configuration cannot
 * take from what is published what it needs, such as the purposes of a consent or a variable that the text names.
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
