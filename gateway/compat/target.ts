import type { CallOptions } from "@connectrpc/connect";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { required } from "../routes/schema-parts.ts";
import type { Services } from "../routes/services.ts";

/** An agreement or a template, as RPCs take it. */
export interface CompatTarget {
  readonly id: { readonly case: "agreementId" | "templateId"; readonly value: string };
}

export const envelopeTarget = (value: string): CompatTarget => ({ id: { case: "agreementId", value } });
export const templateTarget = (value: string): CompatTarget => ({ id: { case: "templateId", value } });

export interface FoundTarget {
  readonly target: CompatTarget;
  readonly agreement: Agreement;
}

/**
 * Finds whether an id belongs to an envelope or a template. Throws ENVELOPE_NOT_FOUND when it belongs to
 * neither.
 */
export async function findTarget(
  sign: Pick<Services["sign"], "getAgreement">,
  id: string,
  options: CallOptions,
): Promise<FoundTarget> {
  if (!isUuid(id)) throw new DomainError("ENVELOPE_NOT_FOUND");
  for (const target of [envelopeTarget(id.toLowerCase()), templateTarget(id.toLowerCase())]) {
    const agreement = await read(sign, target, options);
    if (agreement !== undefined) return { target, agreement };
  }
  throw new DomainError("ENVELOPE_NOT_FOUND");
}

async function read(
  sign: Pick<Services["sign"], "getAgreement">,
  target: CompatTarget,
  options: CallOptions,
): Promise<Agreement | undefined> {
  try {
    return required((await sign.getAgreement({ target }, options)).agreement);
  } catch (error) {
    const code = fromConnectError(error)?.code;
    if (code === "ENVELOPE_NOT_FOUND" || code === "TEMPLATE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The path that operations shared by envelopes and templates are mounted under. */
export interface TargetRoot {
  /** Below the account. */
  readonly path: "/envelopes/{envelopeId}" | "/templates/{templateId}";
  readonly tag: string;
  /** What operation ids begin with. */
  readonly idPrefix: "compat" | "compatTemplate";
  readonly hasCertificate: boolean;
  targetOf(params: Readonly<Record<string, string>>): CompatTarget;
}

export const envelopeRoot: TargetRoot = {
  path: "/envelopes/{envelopeId}",
  tag: "Compatible documents",
  idPrefix: "compat",
  hasCertificate: true,
  targetOf: ({ envelopeId = "" }) => envelopeTarget(envelopeId),
};

export const templateRoot: TargetRoot = {
  path: "/templates/{templateId}",
  tag: "Compatible templates",
  idPrefix: "compatTemplate",
  hasCertificate: false,
  targetOf: ({ templateId = "" }) => templateTarget(templateId),
};

/**
 * An envelope that was sent is corrected in place of being changed, where the organization has turned that on; where it
 * has not, the answer is that of the change.
 */
export async function changeOrCorrect<Answer>(
  target: CompatTarget,
  change: () => Promise<Answer>,
  correct: (request: { readonly agreementId: string; readonly ifTurnedOn: true }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    const { id } = target;
    if (id.case !== "agreementId" || fromConnectError(error)?.code !== "ENVELOPE_CANNOT_BE_MODIFIED") throw error;
    return correct({ agreementId: id.value, ifTurnedOn: true });
  }
}
