import { isDeepStrictEqual } from "node:util";
import type { DescMessage, JsonObject, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { type Masked, type RecordOf, type Records, recordsOf } from "#api/records.ts";
import { TemplateConfigurationSchema, TemplateStatus, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { parsePolicyFlags, resolvePolicyFlags } from "../domain/policy.ts";
import { defaultPolicyFlags, type PolicyFlags, type verificationMethods } from "../domain/policy-flags.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { requireActive, type Template, templateStatus } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { listPublished } from "../store/version-store.ts";
import { renewSnapshots } from "./deployment-rules.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";

export const getTemplateConfiguration = (
  deps: Pick<TemplatesDeps, "orm">,
): TemplatesRpcs<"getTemplateConfiguration"> => ({
  async getTemplateConfiguration(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      return { configuration: await describeConfiguration(tenant, template) };
    });
  },
});

/** The configuration of a template as clients see it. */
async function describeConfiguration(
  tenant: OrmTenant,
  template: Template,
): Promise<MessageInitShape<typeof TemplateConfigurationSchema>> {
  const published = await listPublished(tenant, [template.id]);
  const status = templateStatus({ archived: template.archivedAt !== null, publishedVersions: published.length });
  const { policy, policyHash, verification } = effectiveConfiguration(template);
  return configurations.write({
    ...{ templateId: template.id, type: template.type, status, typeConfig: template.typeConfig },
    policyFlags: flagsMessage(template.policyFlags),
    effectivePolicy: flagsMessage(policy),
    ...{ policyHash, updatedAt: template.updatedAt },
    verification: {
      required: verification.required,
      mode: verification.mode,
      methods: verification.methods.map((method) => ({ ...method })),
    },
  });
}

const configurations = recordsOf(TemplateConfigurationSchema, { type: TemplateType, status: TemplateStatus });

/** A list of the wire must be one that could be changed. */
export const flagsMessage = (flags: PolicyFlags): JsonObject => ({
  ...flags,
  verificationMethods: [...flags.verificationMethods],
});

interface MaskedRequest<D extends DescMessage> {
  /** What the request calls the message. */
  readonly field: string;
  readonly message: MessageShape<D> | undefined;
  readonly updateMask?: FieldMask | undefined;
  /** The member whose members may be named one by one. */
  readonly divisible?: keyof MessageShape<D> & string;
}

/** Reads what a mask names. Throws CLICK_VALIDATION_FAILED when there is no message, and for what cannot be changed. */
export function readMasked<D extends DescMessage, E>(
  records: Records<D, E>,
  { field, message, updateMask, divisible = "" as never }: MaskedRequest<D>,
): Masked<RecordOf<MessageShape<D>, E>> {
  if (message === undefined) throw invalid(problem(field, "REQUIRED", "must be given"));
  const paths = updateMask?.paths ?? [];
  const masked = records.masked(message, paths);
  const refused = paths.filter((path) => masked.unknown.includes(path) || isPart(path, divisible));
  refuse(refused.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  return masked;
}

const isPart = (path: string, divisible: string): boolean => path.includes(".") && !path.startsWith(`${divisible}.`);

/** What is made of a member that is there. */
export const when = <Value, Made>(value: Value | undefined, make: (value: Value) => Made): Made | undefined =>
  value === undefined ? undefined : make(value);

export interface EffectiveConfiguration {
  readonly policy: PolicyFlags;
  /** Receipts name the policy that held by it. */
  readonly policyHash: string;
  readonly verification: VerificationRequirements;
}

/** What holds for an acceptance of this template now. */
export function effectiveConfiguration(template: Pick<Template, "type" | "policyFlags">): EffectiveConfiguration {
  // A template that is older than a flag does not state it.
  const policy = { ...defaultPolicyFlags(template.type), ...template.policyFlags };
  return {
    policy,
    policyHash: sha256Label(canonicalJson(policy)),
    verification: verificationRequirements(policy),
  };
}

type VerificationMethod = (typeof verificationMethods)[number];

/** What an acceptance must carry about who the person is. */
interface VerificationRequirements {
  readonly required: boolean;
  /** How the methods that are not required by themselves are meant; with ANY, one of them is enough. */
  readonly mode: "ALL" | "ANY";
  readonly methods: readonly RequiredMethod[];
}

interface RequiredMethod {
  readonly method: VerificationMethod;
  /** False for one of several alternatives. */
  readonly required: boolean;
  /** How much it proves. */
  readonly level: number;
  readonly parameters: JsonObject;
}

const levels: Readonly<Record<VerificationMethod, number>> = {
  NONE: 0,
  CUSTOMER_ATTESTED: 1,
  CUSTOMER_SESSION: 2,
  TYPED_NAME: 1,
  AGE_STATEMENT: 1,
};

/** What the flags ask for, weakest first; each method once. */
export function verificationRequirements(flags: PolicyFlags): VerificationRequirements {
  const named = flags.verificationMethods.filter((method) => method !== "NONE");
  const isChoice = flags.verificationMode === "ANY" && named.length > 1;
  const demanded = new Set<VerificationMethod>(isChoice ? [] : named);
  if (flags.requireAuthenticatedUser) demanded.add("CUSTOMER_SESSION");
  if (flags.requireTypedName) demanded.add("TYPED_NAME");
  if (flags.minAge > 0) demanded.add("AGE_STATEMENT");
  // A method that is required anyway also satisfies the choice.
  const isMet = named.some((method) => demanded.has(method));
  const alternatives = isChoice && !isMet ? named : [];
  const methods = [...new Set([...demanded, ...alternatives])].map((method) => ({
    method,
    required: demanded.has(method),
    level: levels[method],
    parameters: parametersOf(method, flags),
  }));
  return {
    required: methods.length > 0,
    mode: flags.verificationMode,
    methods: methods.sort((a, b) => a.level - b.level || a.method.localeCompare(b.method, "en")),
  };
}

function parametersOf(method: VerificationMethod, flags: PolicyFlags): JsonObject {
  switch (method) {
    case "CUSTOMER_SESSION":
      return { authMethods: ["PASSWORD", "SSO", "MFA", "PASSKEY"] };
    case "AGE_STATEMENT":
      return flags.minAge > 0 ? { minAge: flags.minAge } : {};
    default:
      return {};
  }
}

export const applyPolicyFlags = (deps: Pick<TemplatesDeps, "orm" | "clock">): TemplatesRpcs<"applyPolicyFlags"> => ({
  async applyPolicyFlags(request, context) {
    const { orgId } = requireCaller(context);
    const stated = parsePolicyFlags(request.policyFlags ?? {});
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await lockTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      const { type, typeConfig, policyFlags: base } = template;
      const policyFlags = resolvePolicyFlags({ type, typeConfig, stated, base });
      if (!isDeepStrictEqual(policyFlags, base)) {
        const now = deps.clock.now();
        Object.assign(template, { policyFlags, updatedAt: now });
        await renewSnapshots(tenant, template, now);
      }
      return { configuration: await describeConfiguration(tenant, template) };
    });
  },
});
