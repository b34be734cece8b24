import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SessionSchema } from "#gen/assent/click/v1/click_pb.ts";
import type { SessionView } from "../domain/session-view.ts";
import type { ClickDeps } from "./deps.ts";
import { sessionMessage } from "./messages.ts";

/** A session with the token that lets a browser render it. */
export async function answerSession(
  { tokens }: Pick<ClickDeps, "tokens">,
  view: SessionView,
): Promise<MessageInitShape<typeof SessionSchema>> {
  const renderToken = view.claims === null ? "" : await tokens.sign(view.claims);
  return { ...sessionMessage(view), renderToken };
}
