import type { ServiceImpl } from "@connectrpc/connect";
import { SenderDecision, type SigningService, type Visitor } from "#gen/assent/sign/v1/signing_pb.ts";
import { invalid, problem } from "../../domain/problems.ts";
import { type ReturnEvent, withEvent } from "../../domain/return-url.ts";
import { invalidStatus } from "../../domain/transitions.ts";
import type { SignDeps } from "../deps.ts";
import { sendDraft } from "../send-draft.ts";
import { callerOfVisit, closeSession, requireSession, type SigningSession, viewExpired } from "./signing-session.ts";
import { senderContext } from "./visitor-context.ts";

export const endSenderView = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "endSenderView"> => ({
  async endSenderView({ sessionToken, decision, visitor }) {
    const event = events.get(decision);
    if (event === undefined) throw invalid(problem("decision", "REQUIRED", "must be a decision"));
    const session = await requireSession(deps, sessionToken);
    const { view, agreement } = session;
    if (view.kind === "recipient") throw viewExpired();
    if (event === "send") await send(deps, session, visitor);
    await closeSession(deps, session);
    return { returnUrl: withEvent(view.returnUrl, event, agreement?.id), agreementId: agreement?.id ?? "" };
  },
});

const events: ReadonlyMap<SenderDecision, ReturnEvent> = new Map([
  [SenderDecision.SEND, "send"],
  [SenderDecision.SAVE, "save"],
  [SenderDecision.CANCEL, "cancel"],
]);

/** The link has to be one for sending: whoever asked for another kind has not been asked for the right to send. */
async function send(deps: SignDeps, session: SigningSession, visitor: Visitor | undefined): Promise<void> {
  const { orgId, view, agreement } = session;
  if (agreement === undefined || view.kind !== "send") throw invalidStatus(agreement ?? { status: "created" }, "send");
  const { name } = await deps.organizations.of(orgId);
  const context = senderContext(deps, view, name, visitor);
  await sendDraft(deps, callerOfVisit(session, visitor), { agreementId: agreement.id }, context);
}
