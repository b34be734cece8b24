import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Agreement, type AgreementDefinitionSchema, RecipientRole } from "#gen/assent/sign/v1/agreement_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { openAgreement } from "../../send/open.ts";
import { giveConsent } from "../../signing/ceremony.ts";
import { finishAgreement } from "../../signing/finish.ts";
import type * as domain from "../agreement.ts";
import { type Change, type DecisionContext, thenChange } from "../change.ts";
import { recipientOf, signedWith } from "./lifecycle-samples.ts";
import type { Organization } from "./lifecycle-setup.ts";

export type Definition = MessageInitShape<typeof AgreementDefinitionSchema>;

export const signer = (recipientId: string) => ({
  recipientId,
  role: RecipientRole.SIGNER,
  name: `Person ${recipientId}`,
  email: `person${recipientId}@example.com`,
});

/** Of an agreement that two people sign. */
export const definition = (changes: Definition = {}): Definition => ({
  emailSubject: "Please sign",
  documents: [{ documentId: "1", name: "NDA.pdf", source: { case: "content", value: Buffer.from("%PDF-1.7 NDA") } }],
  recipients: [signer("1"), signer("2")],
  ...changes,
});

/** A draft, or an agreement that has been sent. */
export async function create(
  organization: Organization,
  changes: Definition = definition(),
  send = false,
): Promise<Agreement> {
  const { agreement } = await organization.createAgreement({ definition: changes, send });
  if (agreement === undefined) throw new Error("the answer has no agreement");
  return agreement;
}

/** "ok", or the code of the error. */
export const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: unknown) => fromConnectError(error)?.code ?? String(error),
  );

/** What a recipient does who signs. */
export const sign =
  (recipientId: string) =>
  (agreement: domain.Agreement, context: DecisionContext): Change => {
    const { id } = recipientOf(agreement, recipientId);
    const shown = { sha256: Buffer.alloc(32), locale: "en" };
    const consented = giveConsent(agreement, id, shown, context);
    const opened = thenChange(consented, (next) => openAgreement(next, id, context));
    return thenChange(opened, (next) => finishAgreement(next, id, signedWith(), context));
  };
