import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { CorrectAgreementRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { defined } from "#platform/json-object.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type CallerContext, changeWithKey, type KeyedAgreement } from "../agreement/change-agreement.ts";
import {
  agreementTarget,
  decisionContext,
  findEarlier,
  keyedRequest,
  requireTarget,
  waitingCaller,
} from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { requireUnmodified } from "../agreement/problems.ts";
import { parseNotification, parseRecipients } from "../create/input.ts";
import { findAnchors } from "../create/make-agreement.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { endViews } from "../signing/view-store.ts";
import {
  applyCorrections,
  type Corrections,
  correctAgreement as decide,
  isCorrectable,
  requireCorrectable,
} from "./corrections.ts";
import { parseTabs } from "./tabs.ts";

export const correctAgreement = (deps: SignDeps): SignRpcs<"correctAgreement"> => ({
  async correctAgreement(request, context) {
    const caller = waitingCaller(context);
    const earlier = await findEarlier(deps, caller, keyedRequest(request), false);
    const { agreement, replayed, ...ids } = earlier ?? (await correct(deps, caller, request));
    return { agreement: agreementMessage(agreement, caller.orgId), replayed, ...ids };
  },
});

interface Answer extends KeyedAgreement {
  readonly recipientIds: string[];
  readonly tabIds: string[];
}

/** Anchors are searched before the agreement is locked, because that takes time; its files stay what they are. */
async function correct(
  deps: SignDeps,
  caller: Caller & CallerContext,
  request: CorrectAgreementRequest,
): Promise<Answer> {
  const target = agreementTarget(request.agreementId);
  const { corrections: isTurnedOn } = await deps.organizations.of(caller.orgId);
  const { ifTurnedOn } = request;
  const context = decisionContext(deps, caller, request.observed);
  const requireAsRead = (current: Agreement): void => {
    // The status is checked before the request's content, so that its error comes first.
    if (ifTurnedOn && (isTurnedOn !== true || !isCorrectable(current, context.now))) {
      throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
    }
    requireCorrectable(current, context.now);
    if (request.ifModifiedAt) requireUnmodified(current, timestampDate(request.ifModifiedAt));
  };
  const before = await requireTarget(deps, caller.orgId, target);
  requireAsRead(before);
  const given = parseCorrections(request);
  const draft = applyCorrections(before, given, context).agreement;
  const matches = await findAnchors(deps, caller.orgId, draft, new Map());
  let decided: ReturnType<typeof decide> | undefined;
  const changed = await changeWithKey(
    deps,
    caller,
    target,
    (current) => {
      requireAsRead(current);
      decided = decide(current, given, matches, context);
      return decided.change;
    },
    {
      idempotency: keyedRequest(request),
      within: (tenant) => endViews(tenant, target.id, decided?.ended ?? { pagesOf: [], linksOf: [] }, context.now),
    },
  );
  const { recipientIds = [], tabs = [] } = decided?.corrected ?? {};
  const tabIds = tabs.flatMap(({ tabsAdded, tabsChanged }) => [...tabsAdded, ...tabsChanged]);
  return { ...changed, recipientIds: [...recipientIds], tabIds };
}

const parseCorrections = (request: CorrectAgreementRequest): Corrections => ({
  reason: request.reason,
  texts: defined({ emailSubject: request.emailSubject, emailBlurb: request.emailBlurb }),
  notification: request.notification === undefined ? {} : parseNotification(request.notification),
  removeRecipientIds: request.removeRecipientIds,
  addsOnly: request.addsOnly,
  recipients: parseRecipients(request.recipients),
  tabs: request.tabs.map(({ recipientId, add, change, removeTabIds }, index) => ({
    recipientId,
    add: parseTabs(add, `tabs[${index}].add`),
    change: parseTabs(change, `tabs[${index}].change`),
    removeTabIds: removeTabIds.map((id) => id.toLowerCase()),
  })),
});
