import { randomUUID } from "node:crypto";
import type { Agreement } from "../../agreement/agreement.ts";
import { sampleContext, sampleDraft, sampleRecipient, sampleTab } from "../../agreement/test/lifecycle-samples.ts";
import { noMatches } from "../../create/place-tabs.ts";
import { sendAgreement } from "../../send/send.ts";
import { documentWith } from "./signing-setup.ts";

/** A draft for Ann and Bob, who are embedded, Cy, who is mailed, and then Di, who is embedded. */
export const sampleSigners = (file: Uint8Array = Buffer.from("a file"), given: Partial<Agreement> = {}): Agreement =>
  sampleDraft(
    [
      signer("1", "Ann", "1000"),
      signer("2", "Bob", "2000"),
      sampleRecipient("3", { name: "Cy", email: "cy@example.com", role: "carbon-copy" }),
      { ...signer("4", "Di", "4000"), routingOrder: 2 },
    ],
    { id: randomUUID(), documents: [documentWith(file)], ...given },
  );

/** The same after it was sent, changed as given. */
export const openSample = (given: Partial<Agreement> = {}, file?: Uint8Array): Agreement => ({
  ...sendAgreement(sampleSigners(file), noMatches, sampleContext()).agreement,
  ...given,
});

const signer = (recipientId: string, name: string, clientUserId: string) =>
  sampleRecipient(recipientId, {
    ...{ name, email: `${name.toLowerCase()}@example.com`, clientUserId },
    tabs: [sampleTab("signature"), sampleTab("text", { label: "Place", required: true })],
  });
