import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { SenderViewKind, type SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { Agreement } from "../domain/agreement.ts";
import { invalid, problem } from "../domain/problems.ts";
import { requireReturnUrl } from "../domain/return-url.ts";
import { invalidStatus } from "../domain/transitions.ts";
import type { ViewKind } from "../domain/view.ts";
import { agreementTarget } from "./context.ts";
import { createLink } from "./create-link.ts";
import type { SignDeps } from "./deps.ts";
import { requireTarget } from "./require-target.ts";

export const createSenderView = (
  deps: Pick<SignDeps, "pool" | "clock" | "organizations">,
): Pick<ServiceImpl<typeof SignService>, "createSenderView"> => ({
  async createSenderView(request, context) {
    const caller = requireCaller(context);
    const kind = kinds.get(request.kind);
    if (kind === undefined) throw invalid(problem("kind", "REQUIRED", "must be a kind of view"));
    const agreement = await findAgreement(deps, caller.orgId, request.agreementId);
    const { sandbox } = await deps.organizations.of(caller.orgId);
    // Who only looks may be led nowhere.
    const returnUrl =
      kind === "look" && request.returnUrl === "" ? "" : requireReturnUrl(request.returnUrl, { isSandbox: sandbox });
    requireDraft(agreement, kind);
    const agreementId = agreement?.id ?? null;
    const view = { kind, agreementId, recipientId: null, returnUrl, frameAncestors: [] };
    const { token, expiresAt } = await createLink(deps, caller, view);
    return { token, expiresAt: timestampFromDate(expiresAt) };
  },
});

const kinds: ReadonlyMap<SenderViewKind, ViewKind> = new Map([
  [SenderViewKind.SEND, "send"],
  [SenderViewKind.EDIT, "edit"],
  [SenderViewKind.LOOK, "look"],
]);

async function findAgreement(
  deps: Pick<SignDeps, "pool">,
  orgId: ReturnType<typeof requireCaller>["orgId"],
  agreementId: string,
): Promise<Agreement | undefined> {
  if (agreementId === "") return undefined;
  if (!isUuid(agreementId)) throw new DomainError("ENVELOPE_NOT_FOUND");
  return requireTarget(deps, orgId, agreementTarget(agreementId));
}

/** Only a draft can be sent or saved. */
function requireDraft(agreement: Agreement | undefined, kind: ViewKind): void {
  if (kind === "look") return;
  if (agreement === undefined) throw invalid(problem("agreementId", "REQUIRED", "must name a draft"));
  if (agreement.status !== "created") throw invalidStatus(agreement, kind);
}
