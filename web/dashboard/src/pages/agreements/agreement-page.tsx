import "./agreements.css";
import { useState } from "react";
import type { AgreementEvent as AuditEvent } from "#api/agreement-records.ts";
import type { Agreement } from "#api/agreements.ts";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { LinkTabs, Page, Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { deviceOf } from "../access/parts.tsx";
import { DocumentsTab } from "./documents-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { agreementPath, useAgreement, useAgreementChanges, useHistory } from "./queries.ts";
import { isActing, isOpen, recipientsOf } from "./types.ts";

type Paused = NonNullable<Agreement["paused"]>;

const tabs = ["overview", "documents", "history"] as const;
type Tab = (typeof tabs)[number];

export function AgreementPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("agreements");
  const tab = tabIn(useSearch());
  const { data: agreement, error, refetch } = useAgreement(id);
  return (
    <Page
      title={agreement === undefined ? texts.title : (agreement.emailSubject ?? texts.untitled)}
      intro={<Link to="/agreements">{texts.back}</Link>}
    >
      {agreement === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {agreement !== undefined && (
        <>
          <AgreementActions agreement={agreement} />
          <LinkTabs
            label={texts.tabs}
            tabs={tabs.map((name) => ({ to: pathOf(id, name), text: texts[name], isCurrent: name === tab }))}
          />
          <Current agreement={agreement} tab={tab} />
        </>
      )}
    </Page>
  );
}

const tabIn = (search: URLSearchParams): Tab => tabs.find((name) => name === search.get("tab")) ?? "overview";

const pathOf = (id: string, tab: Tab): string =>
  `/agreements/${encodeURIComponent(id)}${tab === "overview" ? "" : `?tab=${tab}`}`;

function Current({ agreement, tab }: { readonly agreement: Agreement; readonly tab: Tab }) {
  if (tab === "documents") return <DocumentsTab agreement={agreement} />;
  if (tab === "history") return <HistoryTab agreement={agreement} />;
  return <OverviewTab agreement={agreement} />;
}

const pageSize = 50;

/** Who did what and when, as it is kept for evidence. */
function HistoryTab({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const history = useHistory(agreement, pageSize);
  if (history.data === undefined) {
    return history.error ? <ErrorState error={history.error} retry={() => void history.refetch()} /> : <Loading />;
  }
  return (
    <Section title={texts.history} intro={texts.historyIntro}>
      <ol className="agreement-history">
        {history.data.pages
          .flatMap(({ items }) => items)
          .map((event) => (
            <Entry key={event.sequence} event={event} />
          ))}
      </ol>
      <MoreRows list={history} />
    </Section>
  );
}

function Entry({ event }: { readonly event: AuditEvent }) {
  const texts = useTexts("agreements");
  const { sequence, occurredAt, action, details, hash } = event;
  const subject = textOf(details.name) ?? textOf(details.email);
  const reason = textOf(details.reason);
  const words = texts.actions.get(action) ?? action;
  return (
    <li>
      <div className="agreement-entry">
        <strong>{subject === undefined ? words : `${words}: ${subject}`}</strong>
        <Time value={occurredAt} seconds />
      </div>
      {reason && <p>{`${texts.reason}: ${reason}`}</p>}
      <p className="agreement-quiet">
        <By event={event} />
      </p>
      <details>
        <summary>
          {texts.details}
          <span className="unseen"> {texts.entry(sequence)}</span>
        </summary>
        {Object.keys(details).length > 0 && <pre>{JSON.stringify(details, undefined, 2)}</pre>}
        <p>
          {texts.hash}: <code>{hash}</code>
        </p>
      </details>
    </li>
  );
}

function By({ event: { actor, source, ip, userAgent } }: { readonly event: AuditEvent }) {
  const { sources } = useTexts("agreements");
  const { browser, system } = deviceOf(userAgent ?? "");
  const who = actor.name ?? actor.email ?? sources[source] ?? source;
  return [who, ip, [browser, system].filter(Boolean).join(", ")].filter(Boolean).join(" · ");
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

type Asked = "void" | "remove";

/** The actions that continue or end it, for those who may perform them. */
function AgreementActions({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const remind = useReminder(agreement);
  const resume = useResumption(agreement);
  const close = () => setAsked(undefined);
  const isDraft = agreement.status === "created";
  return (
    <>
      <div className="form-buttons agreement-actions">
        {isDraft && can("sign:write") && (
          <ButtonLink to={`/agreements/${agreement.id}/prepare`} kind="primary">
            {texts.prepare}
          </ButtonLink>
        )}
        {agreement.paused !== null && can("sign:send") && (
          <Button kind="primary" isBusy={resume.isBusy} onPress={() => void resume.run()}>
            {agreement.paused.reason === "scheduled" ? texts.resumeNow : texts.resume}
          </Button>
        )}
        {isOpen(agreement) && agreement.paused === null && can("sign:send") && (
          <Button kind="primary" isBusy={remind.isBusy} onPress={() => void remind.run()}>
            {texts.remind}
          </Button>
        )}
        {isOpen(agreement) && can("sign:write") && (
          <ButtonLink to={`/agreements/${agreement.id}/correct`}>{texts.correct}</ButtonLink>
        )}
        {isOpen(agreement) && can("sign:admin") && (
          <Button kind="danger" onPress={() => setAsked("void")}>
            {texts.void}
          </Button>
        )}
        {isDraft && can("sign:admin") && (
          <Button kind="danger" onPress={() => setAsked("remove")}>
            {texts.remove}
          </Button>
        )}
        {can("privacy:admin") && <ButtonLink to={`/privacy/holds?set=${agreement.id}`}>{texts.hold}</ButtonLink>}
      </div>
      {resume.error !== undefined && <ErrorNotice error={resume.error} />}
      {agreement.paused !== null && <PausedNotice paused={agreement.paused} />}
      {remind.error !== undefined && <ErrorNotice error={remind.error} />}
      {isOpen(agreement) && remind.done !== undefined && <Notice tone="success">{remind.done}</Notice>}
      <VoidDialog agreement={agreement} isOpen={asked === "void"} onClose={close} />
      <RemoveDialog agreement={agreement} isOpen={asked === "remove"} onClose={close} />
    </>
  );
}

/** Sends what is scheduled, or ends the pause: once, however often an answer is lost. */
function useResumption(agreement: Agreement) {
  const sendOnce = useSendOnce();
  const { agreementIs } = useAgreementChanges();
  return useAction(async () => {
    await agreementIs(await sendOnce<Agreement>(`${agreementPath(agreement.id)}/resume`));
  });
}

function PausedNotice({ paused: { reason, beforeRoutingOrder, until } }: { readonly paused: Paused }) {
  const texts = useTexts("agreements");
  const isScheduled = reason === "scheduled";
  return (
    <Notice>
      {isScheduled ? texts.scheduledFor : texts.pausedBefore(beforeRoutingOrder)}
      {until !== null && (
        <>
          {isScheduled ? "" : ` ${texts.pausedUntil}`} <Time value={until} />
        </>
      )}
    </Notice>
  );
}

function useReminder(agreement: Agreement) {
  const texts = useTexts("agreements");
  const { locale } = useLanguage();
  const api = useApi();
  const { agreementIs } = useAgreementChanges();
  const [done, setDone] = useState<string>();
  const action = useAction(async () => {
    setDone(undefined);
    const now = await api.send<Agreement>("POST", `${agreementPath(agreement.id)}/remind`);
    const mailed = recipientsOf(now).filter((one) => isActing(one) && one.clientUserId === null);
    const names = mailed.map(({ name, email }) => name ?? email ?? "");
    const list = new Intl.ListFormat(locale).format(names);
    setDone(names.length === 0 ? texts.remindedNobody : texts.reminded(list));
    await agreementIs(now);
  });
  return { ...action, done };
}

interface DialogProps {
  readonly agreement: Agreement;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The number of characters that are stored. */
const longestReason = 200;

function VoidDialog({ agreement, isOpen: isShown, onClose }: DialogProps) {
  const texts = useTexts("agreements");
  const api = useApi();
  const { agreementIs } = useAgreementChanges();
  const end = async (values: FormValues) => {
    const body = { voidedReason: values.text("voidedReason") };
    await agreementIs(await api.send<Agreement>("POST", `${agreementPath(agreement.id)}/void`, body));
    onClose();
  };
  return (
    <Dialog title={texts.voidTitle} isOpen={isShown} onClose={onClose}>
      <Form submit={texts.void} kind="danger" onSubmit={end} onCancel={onClose}>
        <p>{texts.voidText(agreement.emailSubject ?? texts.untitled)}</p>
        <TextField
          name="voidedReason"
          label={texts.voidReason}
          hint={texts.voidReasonHint}
          rows={3}
          maxLength={longestReason}
          isRequired
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ agreement, isOpen: isShown, onClose }: DialogProps) {
  const texts = useTexts("agreements");
  const api = useApi();
  const navigate = useNavigate();
  const { agreementGone } = useAgreementChanges();
  const remove = async () => {
    await api.send("DELETE", agreementPath(agreement.id));
    navigate("/agreements", { replace: true });
    agreementGone(agreement.id);
  };
  return (
    <ConfirmDialog
      title={texts.removeTitle}
      text={texts.removeText(agreement.emailSubject ?? texts.untitled)}
      action={texts.remove}
      isOpen={isShown}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
