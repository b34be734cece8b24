import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { SignDeps } from "../deps.ts";
import { addAttachment } from "./add-attachment.ts";
import { getCeremony, getCeremonyDocument } from "./ceremony-handlers.ts";
import { declineSigning, endSenderView, finishSigning, leaveSigning } from "./end-signing.ts";
import { giveConsent } from "./give-consent.ts";
import { openView } from "./signing-session.ts";

/** What people do with the links. */
export const signingHandlers = (deps: SignDeps): Partial<ServiceImpl<typeof SigningService>> => ({
  ...openView(deps),
  ...getCeremony(deps),
  ...getCeremonyDocument(deps),
  ...addAttachment(deps),
  ...giveConsent(deps),
  ...finishSigning(deps),
  ...declineSigning(deps),
  ...leaveSigning(deps),
  ...endSenderView(deps),
});
