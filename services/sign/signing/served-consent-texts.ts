import type { SignDeps } from "../deps.ts";
import { type ConsentText, consentTexts } from "./consent-text.ts";
import type { SigningSession } from "./signing-session.ts";

/** What the person of a session is asked to consent to: a text names the organization, or the sender of one without. */
export async function servedConsentTexts(
  { organizations }: Pick<SignDeps, "organizations">,
  { orgId, agreement }: Pick<SigningSession, "orgId" | "agreement">,
): Promise<readonly ConsentText[]> {
  const { name } = await organizations.of(orgId);
  return consentTexts(name === "" ? (agreement?.sender.name ?? "") : name);
}
