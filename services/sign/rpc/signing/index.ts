import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { SignDeps } from "../deps.ts";
import { addAttachment } from "./add-attachment.ts";
import { declineSigning } from "./decline-signing.ts";
import { endSenderView } from "./end-sender-view.ts";
import { finishSigning } from "./finish-signing.ts";
import { getCeremony } from "./get-ceremony.ts";
import { getCeremonyDocument } from "./get-ceremony-document.ts";
import { giveConsent } from "./give-consent.ts";
import { leaveSigning } from "./leave-signing.ts";
import { openView } from "./open-view.ts";

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
