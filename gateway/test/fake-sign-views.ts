import type { Target } from "#gen/assent/sign/v1/sign_pb.ts";
import type { FakeSignCore, SignHandlers } from "./fake-sign.ts";
import { at } from "./sample-agreement.ts";

/** The views of senders. */
export const createFakeSignViews = ({ enter, find }: FakeSignCore): SignHandlers => ({
  createSenderView: (request, context) => {
    const caller = enter(context, "createSenderView", request);
    const target = { id: { case: "agreementId", value: request.agreementId } } as Target;
    if (request.agreementId !== "") find(target, caller);
    return { token: "s".repeat(64), expiresAt: at(5) };
  },
});
