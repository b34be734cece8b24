import type { Client } from "@connectrpc/connect";
import { TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { readAndConsent } from "./read-and-consent.ts";
import type { System } from "./system.ts";

const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "of-a-person", traceparent: "" };

export const tokenIn = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

/** Opens a link: the token of the session. */
export const openLink = async (system: System, url: string): Promise<string> =>
  (await signingOf(system).openView({ token: tokenIn(url), visitor })).sessionToken;

/** What a person does who follows a link and signs everything. Answers where the browser is led back to. */
export async function signEverything(system: System, url: string, text = "Berlin"): Promise<string> {
  const signing = signingOf(system);
  const sessionToken = await openLink(system, url);
  const { agreement, recipientId } = await readAndConsent(signing, sessionToken, visitor);
  const tabs = agreement?.recipients.find(({ id }) => id === recipientId)?.tabs ?? [];
  const values = tabs
    .filter(({ type, value = "" }) => type === TabType.TEXT && value === "")
    .map(({ tabId = "" }) => ({ tabId, value: text }));
  const signature = { typed: "Ann Example", font: "cursive" };
  const finished = await signing.finishSigning({ sessionToken, values, signature, initials: signature, visitor });
  return finished.returnUrl;
}

export const declineSigning = async (system: System, url: string, reason: string): Promise<string> =>
  (await signingOf(system).declineSigning({ sessionToken: await openLink(system, url), reason, visitor })).returnUrl;

function signingOf({ signing }: System): Client<typeof SigningService> {
  if (signing === undefined) throw new Error("people sign in a single process only");
  return signing;
}
