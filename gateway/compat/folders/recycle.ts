import type { CallOptions } from "@connectrpc/connect";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Observed } from "../../routes/route.ts";
import type { Services } from "../../routes/services.ts";
import { type FoundTarget, findTarget } from "../find-target.ts";

/** What was moved to the recycle bin, and what became of it. */
export interface Recycled {
  readonly id: string;
  readonly isTemplate: boolean;
  readonly status: "deleted" | "voided";
}

type Sign = Pick<Services["sign"], "getAgreement" | "deleteAgreement" | "voidAgreement">;

/**
 * Deletes drafts and templates, and voids what is in process. All of them are looked at before the first one is touched.
 * Throws ENVELOPE_NOT_FOUND, and ENVELOPE_CANNOT_BE_MODIFIED for what is final.
 */
export async function recycle(
  sign: Sign,
  ids: readonly string[],
  observed: Observed,
  options: CallOptions,
): Promise<readonly Recycled[]> {
  const found: FoundTarget[] = [];
  for (const id of ids) found.push(await findTarget(sign, id, options));
  for (const { agreement } of found) requireMovable(agreement.status);
  const recycled: Recycled[] = [];
  for (const one of found) recycled.push(await recycleOne(sign, one, observed, options));
  return recycled;
}

const voidedReason = "Moved to the recycle bin by the sender.";

async function recycleOne(
  sign: Sign,
  { target, agreement: { id, status } }: FoundTarget,
  observed: Observed,
  options: CallOptions,
): Promise<Recycled> {
  const isTemplate = target.id.case === "templateId";
  if (isInProcess(status)) {
    await sign.voidAgreement({ agreementId: id, reason: voidedReason, observed }, options);
    return { id, isTemplate, status: "voided" };
  }
  await sign.deleteAgreement({ target, observed }, options);
  return { id, isTemplate, status: "deleted" };
}

function requireMovable(status: AgreementStatus): void {
  const isDeletable = status === AgreementStatus.CREATED || status === AgreementStatus.TEMPLATE;
  if (isDeletable || isInProcess(status)) return;
  throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED", {
    message: "An envelope that is completed, declined or voided is kept, and cannot be deleted. Nothing was moved.",
  });
}

const isInProcess = (status: AgreementStatus): boolean =>
  status === AgreementStatus.SENT || status === AgreementStatus.DELIVERED;
