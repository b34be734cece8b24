import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, UpdateConsentStateRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { readConsent } from "../consent/read-consent.ts";
import type { ConsentUpdate } from "../consent/record-update.ts";
import { updateConsent } from "../consent/update-consent.ts";
import { captureClaimed, captureObserved } from "../domain/capture.ts";
import { effectivePolicy } from "../domain/policy.ts";
import { readConsentInput } from "./consent-input.ts";
import { consentStateMessage } from "./consent-messages.ts";
import type { ClickDeps } from "./deps.ts";

type Deps = Pick<
  ClickDeps,
  | "pool"
  | "vault"
  | "leafSigner"
  | "receiptKeys"
  | "issuer"
  | "clock"
  | "newId"
  | "keys"
  | "purposeOffers"
  | "templateOffers"
  | "wakeRelay"
  | "wakeIntegrator"
>;

export const updateConsentState = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "updateConsentState"> => ({
  async updateConsentState(request, context) {
    const caller = requireCaller(context);
    const input = readConsentInput(request, deps.clock.now());
    const { receipts, replayed } = await updateConsent(deps, caller, { ...input, ...whatIsTold(request, caller) });
    const everything = { purpose: undefined, templateId: undefined, includeHistory: false, at: null };
    const view = await readConsent(deps, caller.orgId, {
      ...everything,
      userRef: input.userRef,
      now: deps.clock.now(),
    });
    return { state: consentStateMessage(view), receiptsJson: [...receipts], replayed };
  },
});

/** Of addresses as much as a CONSENT template lets us keep that says nothing about it. */
const capturePolicy = effectivePolicy("CONSENT", {});

const whatIsTold = (
  { context, observed, metadata }: UpdateConsentStateRequest,
  { clientId, requestId }: Caller,
): Pick<ConsentUpdate, "context" | "observed" | "metadata"> => ({
  context: captureClaimed(context, capturePolicy),
  observed: {
    ...captureObserved(observed?.ip ?? "", observed?.userAgent ?? "", capturePolicy),
    clientId,
    requestId,
  },
  metadata,
});
