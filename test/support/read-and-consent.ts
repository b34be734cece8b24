import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { GetCeremonyResponse, SigningService, VisitorSchema } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Answer } from "./api.ts";
import { bodyOf } from "./journeys.ts";

/** What everybody does before they sign: reads what is asked of them, consents, and loads the documents. */
export async function readAndConsent(
  signing: Client<typeof SigningService>,
  sessionToken: string,
  visitor: MessageInitShape<typeof VisitorSchema>,
): Promise<GetCeremonyResponse> {
  const ceremony = await signing.getCeremony({ sessionToken });
  for (const { documentId } of ceremony.agreement?.documents.slice(0, 1) ?? []) {
    await signing.getCeremonyDocument({ sessionToken, documentId, visitor });
  }
  const text = ceremony.consentTexts.find(({ locale }) => locale === "en");
  if (text !== undefined) {
    await signing.giveConsent({ sessionToken, textSha256: text.sha256, locale: text.locale, visitor });
  }
  return ceremony;
}

/** The same at the page, whose operations `say` asks by their names. */
export async function readPageAndConsent(
  say: (method: "GET" | "POST", name: string, body?: object) => Promise<Answer>,
): Promise<void> {
  const { agreement, consent } = bodyOf(200, await say("GET", "ceremony"));
  bodyOf(200, await say("GET", `documents/${agreement.documents[0].documentId}`));
  const { textSha256, locale } = consent.texts.find(({ locale }: { locale: string }) => locale === "en");
  bodyOf(200, await say("POST", "consent", { textSha256, locale }));
}
