import type { ReactNode } from "react";
import type { Receipt } from "#api/receipts.ts";
import { Link } from "../../app/router.tsx";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import type { Details, Evidence } from "./evidence.ts";
import { Decision, PersonName, wordsFor } from "./parts.tsx";

interface DecisionSectionProps {
  readonly receipt: Receipt;
  readonly details: Details;
  readonly after: Evidence["after"];
  readonly delivery: Evidence["delivery"];
}

type Fact = readonly [name: string, value: ReactNode];

/** Who decided what and when. */
export function DecisionSection({ receipt, details, after, delivery }: DecisionSectionProps) {
  const texts = useTexts("acceptances");
  return (
    <Section title={texts.whatTitle}>
      <Facts
        facts={[
          [texts.decision, <Decision key="decision" decision={receipt.decision} />],
          [texts.person, <PersonName key="person" receipt={receipt} />],
          [texts.when, <Time key="when" value={receipt.acceptedAt} seconds />],
          [texts.template, <AgreedVersion key="text" receipt={receipt} />],
          [texts.how, wordsFor(texts.actions, receipt.action)],
          [texts.assertedBy, wordsFor(texts.asserters, receipt.assertedBy)],
          [texts.verifiedBy, methodsOf(details) || texts.nothing],
          ...rarer(receipt, details, texts),
          ...copies(receipt, delivery, texts),
          [texts.sinceTitle, <Since key="since" receipt={receipt} after={after} />],
          [texts.receiptId, <code key="receipt">{receipt.receiptId}</code>],
          [texts.sessionId, <code key="session">{receipt.sessionId}</code>],
        ]}
      />
    </Section>
  );
}

const methodsOf = ({ verification }: Details): string => verification.map(({ method }) => method).join(", ");

/** Details that most acceptances do not have. */
function rarer(receipt: Receipt, { typedName }: Details, texts: Texts["acceptances"]): Fact[] {
  const { purposes, expiresAt, reacceptBy } = receipt;
  const decided = ({ purpose, granted }: Receipt["purposes"][number]): string =>
    `${purpose}: ${granted ? texts.granted : texts.refused}`;
  return [
    ...(typedName === null ? [] : [[texts.typedName, typedName] as const]),
    ...(purposes.length === 0 ? [] : [[texts.purposes, purposes.map(decided).join(", ")] as const]),
    ...(expiresAt === null ? [] : [[texts.validUntil, <Time key="until" value={expiresAt} />] as const]),
    ...(reacceptBy === null ? [] : [[texts.reacceptBy, <Time key="again" value={reacceptBy} />] as const]),
  ];
}

const copies = (receipt: Receipt, delivery: Evidence["delivery"], texts: Texts["acceptances"]): Fact[] =>
  delivery
    .filter(({ receiptId }) => receiptId === receipt.receiptId)
    .map(({ to, status, at }) => [
      texts.copy,
      <span key="copy">
        {[to, wordsFor(texts.copyStates, status)].filter((part) => part !== null).join(": ")}
        {at !== null && (
          <>
            {" "}
            (<Time value={at} />)
          </>
        )}
      </span>,
    ]);

function AgreedVersion({ receipt }: { readonly receipt: Receipt }) {
  const texts = useTexts("acceptances");
  const { templateId, templateName, templateSlug, versionLabel, locale, superseded } = receipt;
  return (
    <>
      <Link to={`/templates/${templateId}`}>{templateName || templateSlug}</Link>
      <div className="acceptance-aside">{texts.version(versionLabel, locale)}</div>
      {superseded && <div className="acceptance-aside">{texts.superseded}</div>}
    </>
  );
}

/** What later records and publications say about it. */
function Since({ receipt, after }: { readonly receipt: Receipt; readonly after: Evidence["after"] }) {
  const texts = useTexts("acceptances");
  const { withdrawals, laterAcceptances, currentRevision } = after;
  const isCurrent = currentRevision === receipt.revision;
  if (withdrawals.length === 0 && laterAcceptances.length === 0 && isCurrent) return texts.isCurrent;
  return (
    <>
      {withdrawals.map(({ eventId, purpose, at }) => (
        <div key={eventId}>
          {texts.withdrawn(purpose)} (<Time value={at} />)
        </div>
      ))}
      {laterAcceptances.map(({ receiptId, decision, versionLabel, acceptedAt }) => (
        <div key={receiptId}>
          <Link to={`/acceptances/receipts/${receiptId}`}>
            {texts.laterOne(wordsFor(texts.decisions, decision), versionLabel)}
          </Link>{" "}
          (<Time value={acceptedAt} />)
        </div>
      ))}
      {currentRevision === null && <div>{texts.nonePublished}</div>}
      {currentRevision !== null && !isCurrent && <div>{texts.newerPublished(currentRevision)}</div>}
    </>
  );
}
