import type {
  TemplateChanges as ChangesMessage,
  Counterparty as CounterpartyMessage,
  CreateTemplateRequest,
  UpdateTemplateRequest,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { parseLocale } from "../domain/locale.ts";
import { metadataProblems } from "../domain/metadata.ts";
import type { NewTemplate } from "../domain/new-template.ts";
import { parsePolicyFlags } from "../domain/policy.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { parseSlug } from "../domain/slug.ts";
import type { Counterparty, TemplateChanges, TemplateType } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import { typeConfigProblems, typeConfigSizeProblems } from "../domain/type-config.ts";
import { fromWire, wireTemplateStatus, wireType } from "./wire-enums.ts";

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
export function parseTemplateChanges(request: UpdateTemplateRequest): TemplateChanges {
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
