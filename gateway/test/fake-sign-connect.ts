import { create } from "@bufbuild/protobuf";
import { type Subscription, SubscriptionSchema, type Target } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { FakeSignCore, SignHandlers } from "./fake-sign.ts";
import { at } from "./sample-agreement.ts";

/** Where the fake would send events to, and the views of senders. */
export function createFakeSignConnect({ enter, find }: FakeSignCore): SignHandlers {
  const known = new Map<string, Subscription[]>();
  const ofOrg = (orgId: string): Subscription[] => {
    const subscriptions = known.get(orgId) ?? [];
    known.set(orgId, subscriptions);
    return subscriptions;
  };
  const findOne = (orgId: string, id: bigint): Subscription => {
    const found = ofOrg(orgId).find((one) => one.id === id);
    if (found === undefined) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
    return found;
  };
  let ids = 0n;
  return {
    createSubscription: (request, context) => {
      const { orgId } = enter(context, "createSubscription", request);
      ids += 1n;
      const { settingsJson } = request;
      const subscription = create(SubscriptionSchema, { id: ids, settingsJson, createdAt: at(0) });
      ofOrg(orgId).push(subscription);
      return { subscription };
    },
    getSubscription: (request, context) => ({
      subscription: findOne(enter(context, "getSubscription", request).orgId, request.id),
    }),
    listSubscriptions: (request, context) => ({
      subscriptions: ofOrg(enter(context, "listSubscriptions", request).orgId),
    }),
    updateSubscription: (request, context) => {
      const subscription = findOne(enter(context, "updateSubscription", request).orgId, request.id);
      return { subscription: Object.assign(subscription, { settingsJson: request.settingsJson }) };
    },
    deleteSubscription: (request, context) => {
      const { orgId } = enter(context, "deleteSubscription", request);
      const subscription = findOne(orgId, request.id);
      ofOrg(orgId).splice(ofOrg(orgId).indexOf(subscription), 1);
      return {};
    },
    createSenderView: (request, context) => {
      const caller = enter(context, "createSenderView", request);
      const target = { id: { case: "agreementId", value: request.agreementId } } as Target;
      if (request.agreementId !== "") find(target, caller);
      return { token: "s".repeat(64), expiresAt: at(5) };
    },
  };
}
