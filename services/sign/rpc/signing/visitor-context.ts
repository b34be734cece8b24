import type { Visitor } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Recipient } from "../../domain/agreement.ts";
import type { DecisionContext } from "../../domain/change.ts";
import { boundedClaim } from "../../domain/free-text.ts";
import type { View } from "../../domain/view.ts";
import type { SignDeps } from "../deps.ts";

type Sitting = Pick<Visitor, "ip" | "userAgent"> | undefined;

/** What the decisions of a recipient are made with. */
export const signerContext = (
  deps: Pick<SignDeps, "clock" | "newId">,
  { id, name, email, hostEmail }: Recipient,
  visitor: Sitting,
): DecisionContext =>
  // Who signs in person may have no address; the host's tells at least where it was.
  contextOf(deps, { source: "signer", id, name, email: email === "" ? hostEmail : email }, visitor);

/** What the decisions of a sender are made with: the person is known only as somebody whom the client gave a link. */
export const senderContext = (
  deps: Pick<SignDeps, "clock" | "newId">,
  { createdBy }: View,
  organizationName: string,
  visitor: Sitting,
): DecisionContext => contextOf(deps, { source: "sender", id: createdBy, name: organizationName, email: "" }, visitor);

function contextOf(
  { clock, newId }: Pick<SignDeps, "clock" | "newId">,
  who: Omit<DecisionContext["actor"], "ip" | "userAgent">,
  visitor: Sitting,
): DecisionContext {
  return {
    now: clock.now(),
    newId,
    actor: { ...who, ip: visitor?.ip ?? "", userAgent: boundedClaim(visitor?.userAgent ?? "") },
  };
}
