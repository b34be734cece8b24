import { Link } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useBrands } from "../brands/brand-select.tsx";
import { coveredBy, fieldsOf } from "./field.ts";
import { allOf, hasFields, inTurn, nameOf } from "./recipients.ts";
import { SendForm } from "./send-form.tsx";
import type { Draft, Recipient } from "./types.ts";

/** Everything at a glance, before people are written to. */
export function ReviewStep({ draft }: { readonly draft: Draft }) {
  const texts = useTexts("sending");
  const maySend = useSession().can("sign:send");
  const problems = problemsOf(draft);
  const { data: brands = [] } = useBrands();
  // What holds when it is sent: a brand that is gone stands for the default one.
  const brand = brands.find(({ id }) => id === draft.brandId) ?? brands.find(({ isDefault }) => isDefault);
  return (
    <>
      {problems.length > 0 && (
        <Notice tone="warning" title={texts.notReady}>
          <ul className="sending-list">
            {problems.map(({ kind, step }) => (
              <li key={kind}>
                <Link to={`/agreements/${draft.id}/prepare?step=${step}`}>{texts.problems[kind]}</Link>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Hints draft={draft} />
      <Section title={texts.mail}>
        <Facts
          facts={[
            [texts.subject, draft.emailSubject ?? ""],
            [
              texts.message,
              <span key="message" className="sending-message">
                {draft.emailBlurb ?? texts.noMessage}
              </span>,
            ],
            [texts.documents, draft.documents.map(({ name }) => name).join(", ")],
            [texts.expiry, texts.expiresAfter(draft.expiration.enabled ? draft.expiration.afterDays : 0)],
            ...(draft.routing === null ? [] : [[texts.pauses, texts.pausesBefore(pauseOrders(draft))] as const]),
            ...(brand === undefined ? [] : [[texts.brand, brand.name] as const]),
          ]}
        />
      </Section>
      <Section title={texts.recipients}>
        <RecipientTable draft={draft} />
      </Section>
      {maySend ? <SendForm draft={draft} isReady={problems.length === 0} /> : <Notice>{texts.mayNotSend}</Notice>}
    </>
  );
}

const pauseOrders = ({ routing }: Draft): string =>
  (routing?.pauses ?? []).map(({ beforeRoutingOrder }) => beforeRoutingOrder).join(", ");

function Hints({ draft }: { readonly draft: Draft }) {
  const texts = useTexts("sending");
  const hints = hintsOf(draft);
  const fields = fieldsOf(draft);
  const overlapping = fields.filter((field) => coveredBy(field, fields).length > 0).length;
  if (hints.length === 0 && overlapping === 0) return null;
  return (
    <Notice>
      {overlapping > 0 && (
        <p>
          <Link to={`/agreements/${draft.id}/prepare?step=fields`}>{texts.overlapping(overlapping)}</Link>
        </p>
      )}
      {hints.map(({ kind, recipient }) => (
        <p key={`${kind} ${recipient.recipientId}`}>{texts.hints[kind](nameOf(recipient))}</p>
      ))}
    </Notice>
  );
}

function RecipientTable({ draft }: { readonly draft: Draft }) {
  const texts = useTexts("sending");
  const agreementTexts = useTexts("agreements");
  const names = new Intl.DisplayNames(useLanguage().locale, { type: "language", fallback: "code" });
  const rows = inTurn(allOf(draft.recipients));
  const checksOf = ({ verification }: Recipient) =>
    (verification ?? []).map(({ method }) => agreementTexts.checks[method]).join(", ") || "–";
  const columns: Column<Recipient>[] = [
    { id: "order", title: texts.order, cell: ({ routingOrder }) => routingOrder },
    { id: "name", title: texts.name, isRowHeader: true, cell: nameOf },
    { id: "email", title: texts.email, cell: ({ email, hostEmail }) => email || hostEmail },
    { id: "task", title: texts.task, cell: ({ role }) => texts.roles[role] },
    ...(rows.some(({ locale }) => locale !== null)
      ? [{ id: "language", title: texts.language, cell: ({ locale }: Recipient) => (locale ? names.of(locale) : "–") }]
      : []),
    ...(rows.some(({ verification }) => (verification ?? []).length > 0)
      ? [{ id: "verification", title: texts.verification.label, cell: checksOf }]
      : []),
    { id: "fields", title: texts.fields, cell: (one) => (hasFields(one) ? one.tabs.length : "–") },
  ];
  return (
    <Table
      label={texts.recipients}
      columns={columns}
      rows={rows}
      rowKey={({ recipientId }) => recipientId}
      empty={null}
    />
  );
}

interface Problem {
  readonly kind: "documents" | "recipients" | "addresses" | "subject" | "choices";
  /** Where it is mended. */
  readonly step: "details" | "fields";
}

/** Why it cannot be sent, as far as the page can tell. */
function problemsOf({ documents, emailSubject, recipients }: Draft): Problem[] {
  const people = allOf(recipients).filter(isFilled);
  const tabs = people.flatMap((person) => person.tabs);
  const isMissing: readonly (readonly [Problem["kind"], Problem["step"], boolean])[] = [
    ["documents", "details", documents.length === 0],
    ["recipients", "details", !people.some(({ role }) => role !== "carbonCopy")],
    ["addresses", "details", people.some((person) => !person.name || !addressOf(person))],
    ["subject", "details", !emailSubject?.trim()],
    ["choices", "fields", tabs.some(({ type, items }) => type === "list" && items.length === 0)],
  ];
  return isMissing.filter(([, , is]) => is).map(([kind, step]) => ({ kind, step }));
}

interface Hint {
  readonly kind: "noSignature" | "leftOut";
  readonly recipient: Recipient;
}

/** Allowed, but rarely intended. */
const hintsOf = ({ recipients }: Draft): Hint[] =>
  allOf(recipients).flatMap((recipient): Hint[] => {
    if (!isFilled(recipient)) return [{ kind: "leftOut", recipient }];
    const signs = recipient.role !== "approver" && hasFields(recipient);
    const hasSignature = recipient.tabs.some(({ type }) => type === "signature" || type === "initials");
    return signs && !hasSignature ? [{ kind: "noSignature", recipient }] : [];
  });

/** A role of a template for which nobody was named is left out. */
const isFilled = ({ roleName, name, email, hostEmail }: Recipient): boolean =>
  !roleName || Boolean(name || email || hostEmail);

const addressOf = ({ role, email, hostEmail }: Recipient): string | null =>
  role === "inPersonSigner" ? hostEmail : email;
