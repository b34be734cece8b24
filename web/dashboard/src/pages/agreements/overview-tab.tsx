import "./agreements.css";
import { type ReactNode, useState } from "react";
import type { Agreement, Recipient } from "#api/agreements.ts";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { agreementPath, useAgreementChanges } from "./queries.ts";
import { AgreementState, RecipientState } from "./state-badges.tsx";
import { isActing, isOpen, recipientsOf } from "./types.ts";
import { Checks } from "./verification.tsx";

export function OverviewTab({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  return (
    <>
      <Section title={texts.facts}>
        <Facts facts={useFacts(agreement)} />
      </Section>
      <Section title={texts.recipients}>
        <Recipients agreement={agreement} />
      </Section>
    </>
  );
}

function useFacts(agreement: Agreement): readonly (readonly [string, ReactNode])[] {
  const texts = useTexts("agreements");
  const { emailBlurb, voidedReason, sealLevel } = agreement;
  const meaning = useMeaning(agreement);
  const moment = (name: string, value: string | null): (readonly [string, ReactNode])[] =>
    value === null ? [] : [[name, <Time key={name} value={value} />]];
  const words = (name: string, value: ReactNode): (readonly [string, ReactNode])[] => (value ? [[name, value]] : []);
  return [
    [
      texts.status,
      <span key="status" className="agreement-state">
        <AgreementState agreement={agreement} /> {meaning}
      </span>,
    ],
    ...words(texts.reason, voidedReason),
    ...moment(texts.created, agreement.createdAt),
    ...moment(texts.sent, agreement.sentAt),
    ...moment(texts.opened, agreement.deliveredAt),
    ...moment(texts.completed, agreement.completedAt),
    ...moment(texts.declined, agreement.declinedAt),
    ...moment(texts.voided, agreement.voidedAt),
    ...(isOpen(agreement) ? moment(texts.expires, agreement.expiresAt) : []),
    ...words(texts.seal, sealLevel && (texts.seals[sealLevel] ?? sealLevel)),
    ...words(texts.message, emailBlurb && <span className="agreement-message">{emailBlurb}</span>),
    ...words(texts.customFields, <CustomFields agreement={agreement} key="fields" />).filter(
      () => agreement.customFields.length > 0,
    ),
    [texts.id, <code key="id">{agreement.id}</code>],
  ];
}

/** Of an agreement that is under way, whom it waits for: its status stays "delivered" when it is the next one's turn. */
function useMeaning(agreement: Agreement): string {
  const texts = useTexts("agreements");
  const { locale } = useLanguage();
  const names = recipientsOf(agreement)
    .filter((one) => isActing(one) && one.role !== "carbonCopy")
    .map(({ name, roleName, email }) => name ?? roleName ?? email ?? "–");
  // The page says at its top what it waits for.
  if (agreement.paused !== null && names.length === 0) return "";
  if (!isOpen(agreement) || names.length === 0) return texts.statusMeaning[agreement.status];
  return texts.waitingFor(new Intl.ListFormat(locale, { type: "conjunction" }).format(names));
}

function CustomFields({ agreement: { customFields } }: { readonly agreement: Agreement }) {
  return customFields.map(({ fieldId, name, value }) => <div key={fieldId}>{`${name}: ${value}`}</div>);
}

function Recipients({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const [linked, setLinked] = useState<Recipient>();
  const [moved, setMoved] = useState<Recipient>();
  const columns = useColumns(agreement, { onLink: setLinked, onMove: setMoved });
  return (
    <>
      <Table
        label={texts.recipients}
        columns={columns}
        rows={recipientsOf(agreement)}
        rowKey={({ recipientIdGuid }) => recipientIdGuid}
        empty={<EmptyState title={texts.noRecipients} text={texts.noRecipientsText} />}
      />
      {linked && <LinkDialog agreement={agreement} recipient={linked} onClose={() => setLinked(undefined)} />}
      {moved && <AddressDialog agreement={agreement} recipient={moved} onClose={() => setMoved(undefined)} />}
    </>
  );
}

interface Asking {
  readonly onLink: (recipient: Recipient) => void;
  readonly onMove: (recipient: Recipient) => void;
}

function useColumns(agreement: Agreement, { onLink, onMove }: Asking): readonly Column<Recipient>[] {
  const texts = useTexts("agreements");
  const mayAsk = useSession().can("sign:write") && isOpen(agreement);
  const recipients = recipientsOf(agreement);
  const columns: readonly Column<Recipient>[] = [
    { id: "order", title: texts.order, cell: ({ routingOrder }) => routingOrder },
    { id: "name", title: texts.name, cell: (recipient) => <Person recipient={recipient} />, isRowHeader: true },
    { id: "role", title: texts.role, cell: ({ role }) => texts.roles[role] ?? role },
    {
      id: "state",
      title: texts.recipientState,
      cell: (recipient) => <State agreement={agreement} recipient={recipient} />,
    },
    { id: "since", title: texts.changedAt, cell: (recipient) => <Since recipient={recipient} /> },
  ];
  if (!mayAsk || !recipients.some((one) => canHaveLink(one) || canMove(one))) return columns;
  const cell = (recipient: Recipient) => (
    <span className="agreement-asks">
      {canHaveLink(recipient) && <Button onPress={() => onLink(recipient)}>{texts.link}</Button>}
      {canMove(recipient) && <Button onPress={() => onMove(recipient)}>{texts.otherAddress}</Button>}
    </span>
  );
  return [...columns, { id: "ask", title: "", cell, align: "end" }];
}

/** Whoever is mailed and has not finished may be asked at another address. */
const canMove = ({ clientUserId, status }: Recipient): boolean =>
  clientUserId === null && status !== "completed" && status !== "declined";

/** Others are mailed theirs. */
const canHaveLink = (recipient: Recipient): boolean => recipient.clientUserId !== null && isActing(recipient);

function Person({ recipient: { name, email, roleName, clientUserId, hostName } }: { readonly recipient: Recipient }) {
  const texts = useTexts("agreements");
  return (
    <span className="agreement-person">
      <span>{name ?? roleName ?? "–"}</span>
      {email && <small>{email}</small>}
      {hostName && <small>{texts.host(hostName)}</small>}
      {clientUserId !== null && <small>{texts.embedded}</small>}
    </span>
  );
}

function State({ agreement, recipient }: { readonly agreement: Agreement; readonly recipient: Recipient }) {
  return (
    <span className="agreement-person">
      <span>
        <RecipientState agreement={agreement} recipient={recipient} />
      </span>
      {recipient.declineReason && <small>{recipient.declineReason}</small>}
      {recipient.deliveryFailedAt !== null && <Unreached agreement={agreement} recipient={recipient} />}
      <Checks agreement={agreement} recipient={recipient} />
    </span>
  );
}

/** A mail came back: the mailbox works again, or somebody knows another address. */
function Unreached({ agreement, recipient }: { readonly agreement: Agreement; readonly recipient: Recipient }) {
  const texts = useTexts("agreements");
  return (
    <>
      <small>{texts.mailReturned(recipient.deliveryFailedReason ?? "")}</small>
      {isOpen(agreement) && isActing(recipient) && <small>{texts.mailReturnedAdvice}</small>}
    </>
  );
}

type Group = keyof Agreement["recipients"];

/** The way to whom a mail did not reach: the host, where somebody signs on another person's device. */
function AddressDialog({ agreement, recipient, onClose }: LinkDialogProps) {
  const texts = useTexts("agreements");
  const api = useApi();
  const { agreementIs } = useAgreementChanges();
  const groups = Object.keys(agreement.recipients) as Group[];
  const group = groups.find((one) => agreement.recipients[one].some((other) => other === recipient)) ?? "signers";
  const members =
    group === "inPersonSigners"
      ? ({ name: "hostName", email: "hostEmail" } as const)
      : ({ name: "name", email: "email" } as const);
  const fieldOf = (member: string): string => `recipients.${group}[0].${member}`;
  const change = async (values: FormValues) => {
    const person = {
      recipientId: recipient.recipientId,
      [members.name]: values.text(fieldOf(members.name)),
      [members.email]: values.text(fieldOf(members.email)),
    };
    const body = { ifModifiedAt: agreement.modifiedAt, recipients: { [group]: [person] } };
    await agreementIs(await api.send<Agreement>("POST", `${agreementPath(agreement.id)}/corrections`, body));
    onClose();
  };
  const name = recipient[members.name] ?? "";
  const isAsked = isActing(recipient);
  return (
    <Dialog title={texts.otherAddressTitle(name)} isOpen onClose={onClose}>
      <p>{isAsked ? texts.otherAddressText : texts.otherAddressLater}</p>
      <Form submit={isAsked ? texts.otherAddressSend : texts.otherAddressSave} onSubmit={change} onCancel={onClose}>
        <TextField name={fieldOf(members.name)} label={texts.name} defaultValue={name} maxLength={100} isRequired />
        <TextField
          name={fieldOf(members.email)}
          type="email"
          label={texts.address}
          defaultValue={recipient[members.email] ?? ""}
          maxLength={254}
          isRequired
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function Since({ recipient: { completedAt, declinedAt, deliveredAt, sentAt } }: { readonly recipient: Recipient }) {
  const value = declinedAt ?? completedAt ?? deliveredAt ?? sentAt;
  return value === null ? "–" : <Time value={value} />;
}

interface LinkDialogProps {
  readonly agreement: Agreement;
  readonly recipient: Recipient;
  readonly onClose: () => void;
}

interface Link {
  readonly url: string;
  readonly expiresAt: string;
}

/** As long as the API lets it be. */
const longestUrl = 470;

/** A link for somebody who signs in an application, such as to try it out or to help. */
function LinkDialog({ agreement, recipient, onClose }: LinkDialogProps) {
  const texts = useTexts("agreements");
  const { done } = useTexts("common");
  const api = useApi();
  const [link, setLink] = useState<Link>();
  const make = async (values: FormValues) => {
    const body = { recipientId: recipient.recipientId, returnUrl: values.text("returnUrl") };
    setLink(await api.send<Link>("POST", `${agreementPath(agreement.id)}/views/recipient`, body));
  };
  const name = recipient.name ?? recipient.email ?? recipient.recipientId;
  return (
    <Dialog title={texts.linkTitle(name)} isOpen onClose={onClose}>
      <p>{texts.linkText}</p>
      {link === undefined ? (
        <Form submit={texts.linkMake} onSubmit={make} onCancel={onClose}>
          <TextField
            name="returnUrl"
            type="url"
            label={texts.linkReturn}
            hint={texts.linkReturnHint}
            maxLength={longestUrl}
            defaultValue={defaultUrl()}
            isRequired
            autoFocus
          />
        </Form>
      ) : (
        <>
          <CopyLine text={link.url} />
          <p>
            {texts.linkUntil} <Time value={link.expiresAt} seconds />
          </p>
          <div className="form-buttons">
            <Button kind="primary" onPress={onClose}>
              {done}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** This site, where it may be one. */
const defaultUrl = (): string => (window.location.protocol === "https:" ? `${window.location.origin}/` : "");
