import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, GetConsentStateRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { readConsent } from "../consent/read-consent.ts";
import { consentStateMessage } from "./consent-messages.ts";
import type { ClickDeps } from "./deps.ts";
import { readTime } from "./wire-time.ts";

export const getConsentState = (
  deps: Pick<ClickDeps, "pool" | "vault" | "clock" | "templateOffers">,
): Pick<ServiceImpl<typeof ClickService>, "getConsentState"> => ({
  async getConsentState(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const { userRef, purpose, templateId, includeHistory } = request;
    const at = readMoment(request, now);
    const view = await readConsent(deps, orgId, { userRef, purpose, templateId, includeHistory, at, now });
    return { state: consentStateMessage(view) };
  },
});

const maxClockSkewMs = 5 * 60_000;

/** A moment in the past; null for now, which somebody whose clock is a little ahead means as well. */
function readMoment({ at }: GetConsentStateRequest, now: Date): Date | null {
  const moment = readTime("at", at);
  if (moment === undefined) return null;
  if (moment.getTime() > now.getTime() + maxClockSkewMs) {
    const details = [{ field: "at", code: "FUTURE", message: "is more than five minutes in the future" }];
    throw new DomainError("CLICK_VALIDATION_FAILED", { details });
  }
  return moment >= now ? null : moment;
}
