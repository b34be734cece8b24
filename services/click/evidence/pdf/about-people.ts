import { anyValue, type Fact, facts, hash, list, paragraph, section, shortened, time, words, yesNo } from "./facts.ts";
import { exact, type Markup, markup, nothing } from "./markup.ts";
import type { PrintedBundle, PrintedContext } from "./printed-bundle.ts";

/** Why there is nothing personal to be told; undefined when there may be. */
export function withheldReason({ disclosed, subject }: PrintedBundle): string | undefined {
  if (subject.erased) return "erased";
  if (!disclosed) return "left out on request";
  return subject.restricted && subject.userRef === null ? "restricted (GDPR art. 18)" : undefined;
}

export function whoSection(bundle: PrintedBundle): Markup {
  const { subject, receipts, context } = bundle;
  const reason = withheldReason(bundle);
  const last = receipts.at(-1);
  const assertedBy = bundle.statement.assertedBy;
  return section(
    "Who",
    facts([
      ["Person", subject.userRef === null ? (reason ?? "not known") : subject.userRef],
      ["Name as it was typed", subject.typedName ?? undefined],
      ["Verified by", reason !== undefined && subject.verification.length === 0 ? reason : undefined],
      ["Who says that this person acted", assertedBy === null ? undefined : (asserters[assertedBy] ?? assertedBy)],
      ["Key of the request", last?.idempotencyKey === undefined ? undefined : hash(last.idempotencyKey)],
      ...extras(context.metadata),
    ]),
    subject.verification.length === 0
      ? nothing
      : list(["Way of verification", ["When", 50], ["Reference", 60]], subject.verification, (one) => [
          words(one.method),
          time(one.verifiedAt),
          one.reference,
        ]),
  );
}

const asserters: Readonly<Record<string, string>> = {
  BACKEND: "the server of the organization, which sent the decision (BACKEND)",
  WIDGET: "the page that the service showed, which sent the decision (WIDGET)",
};

const extras = (metadata: Readonly<Record<string, string>>): Fact[] =>
  Object.entries(metadata).map(([key, value]) => [`Note of the sender: ${key}`, value]);

export function whereSection(bundle: PrintedBundle): Markup {
  const { claimed, observed, session } = bundle.context;
  const reason = withheldReason(bundle);
  if (claimed === null && observed === null && session === null) {
    return section("From where", paragraph(reason === undefined ? "Nothing was recorded." : `This was ${reason}.`));
  }
  return section(
    "From where",
    side("The end user’s side, as the sender of the decision tells it", claimed),
    side("The end user’s side, as it was told when the session was created", session),
    side("The sender of the decision, as the service saw it", observed),
  );
}

function side(title: string, context: PrintedContext | null): Markup {
  if (context === null) return nothing;
  const table = facts([
    ["IP address", context.ip ?? undefined],
    ["Browser or program, by its own account", shortened(context.userAgent)],
    ["Page", context.pageUrl],
    ["Title of the page", context.pageTitle],
    ["Came from", context.referrer],
    ["Languages", context.acceptLanguage],
    ["Time zone", context.timezone],
    ["Global Privacy Control", yesNo(context.gpc)],
    ["API client", hash(context.clientId)],
    ["Request", hash(context.requestId)],
  ]);
  return table === nothing ? nothing : markup`<h3>${title}</h3>${table}`;
}

export function authoritySection({ organizationId, agreement, integrity }: PrintedBundle, issuer: string): Markup {
  const parts = Object.values(agreement.template.counterparty ?? {}).filter((part) => part !== null && part !== "");
  return section(
    "On whose behalf",
    facts([
      ["Party to the agreement", parts.length === 0 ? undefined : parts.join(", ")],
      ["Organization", exact(organizationId)],
      ["Recorded by (issuer)", exact(issuer)],
      ["Log", hash(integrity.log?.origin)],
    ]),
  );
}

/** What was filled in for this person. */
export function dataSection({ agreement }: PrintedBundle): Markup {
  const entries = Object.entries(agreement.data ?? {});
  return entries.length === 0
    ? nothing
    : markup`<h3>Values that were filled in</h3>${facts(entries.map(([key, value]) => [key, anyValue(value)]))}`;
}
