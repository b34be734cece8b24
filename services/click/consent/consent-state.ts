import type { MessageInitShape } from "@bufbuild/protobuf";
import { recordsOf } from "#api/records.ts";
import {
  AgreementStateSchema,
  ConsentEventSchema,
  ConsentStateSchema,
  type GetConsentStateRequest,
  PurposeStateSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { readTime } from "../messages.ts";
import { invalid, problem } from "../problems.ts";
import type { AgreementState } from "../terms/agreement-state.ts";
import type { PurposeState } from "./consent.ts";
import { type ConsentView, readConsent } from "./read-consent.ts";

export const getConsentState = (
  deps: Pick<ClickDeps, "pool" | "vault" | "clock" | "templateOffers">,
): ClickRpcs<"getConsentState"> => ({
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

/**
 * A moment in the past; null for now. A slightly later time also means now, because the caller's clock may be
 * ahead.
 */
function readMoment({ at }: GetConsentStateRequest, now: Date): Date | null {
  const moment = readTime("at", at);
  if (moment === undefined) return null;
  if (moment.getTime() > now.getTime() + maxClockSkewMs) {
    throw invalid(problem("at", "FUTURE", "is more than five minutes in the future"));
  }
  return moment >= now ? null : moment;
}

const states = recordsOf(ConsentStateSchema);
const purposes = recordsOf(PurposeStateSchema);
const agreements = recordsOf(AgreementStateSchema);
const events = recordsOf(ConsentEventSchema);

export const consentStateMessage = (view: ConsentView): MessageInitShape<typeof ConsentStateSchema> =>
  states.write({
    ...view,
    consents: view.consents.map(purposeMessage),
    agreements: view.agreements.map(agreementMessage),
    history: (view.history ?? []).map(events.write),
  });

const purposeMessage = ({ event, ...state }: PurposeState): MessageInitShape<typeof PurposeStateSchema> =>
  purposes.write({
    ...{ ...event, ...event.text, ...state },
    withdrawnAt: event.type === "WITHDRAWN" ? event.recordedAt : null,
  });

export const agreementMessage = ({
  acceptance,
  ...state
}: AgreementState): MessageInitShape<typeof AgreementStateSchema> =>
  agreements.write({ ...acceptance, ...state, versionLabel: acceptance.label });
