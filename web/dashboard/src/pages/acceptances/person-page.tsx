import "./acceptances.css";
import { useState } from "react";
import type { Erasure } from "#api/erasures.ts";
import { type Api, useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { AgreementTable, ConsentTable, HistoryTable } from "./consent-tables.tsx";
import { ReceiptList } from "./parts.tsx";
import { useConsentState, useForget } from "./queries.ts";

const pageSize = 10;

/** What is recorded about a person, under the reference that the customer's system uses. */
export function PersonPage({ params }: PageParams) {
  const userRef = params.get("userRef") ?? "";
  const texts = useTexts("acceptances");
  const mayErase = useSession().can("click:admin");
  const [isErasing, setIsErasing] = useState(false);
  const [erasure, setErasure] = useState<AskedErasure>();
  // After a complete erasure nothing is left to show; an incomplete one can be continued below.
  const erase = mayErase && erasure === undefined && (
    <Button kind="danger" onPress={() => setIsErasing(true)}>
      {texts.erase}
    </Button>
  );
  return (
    <Page
      title={userRef}
      intro={
        <>
          {texts.personIntro} <Link to="/acceptances">{texts.back}</Link>
        </>
      }
      actions={erase}
    >
      {erasure !== undefined && <ErasureResult userRef={userRef} erasure={erasure} onErased={setErasure} />}
      <Known userRef={userRef} />
      {mayErase && (
        <EraseDialog userRef={userRef} isOpen={isErasing} onErased={setErasure} onClose={() => setIsErasing(false)} />
      )}
    </Page>
  );
}

function Known({ userRef }: { readonly userRef: string }) {
  const texts = useTexts("acceptances");
  const { data: state, error, refetch } = useConsentState(userRef);
  if (state === undefined) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  const { consents, agreements, history } = state;
  if (consents.length + agreements.length + history.length === 0) {
    return (
      <ReceiptList
        filter={{ userRef }}
        pageSize={pageSize}
        withPerson={false}
        empty={<EmptyState title={texts.personNoneTitle} text={texts.personNoneText} />}
      />
    );
  }
  return (
    <>
      <Section title={texts.consentsTitle}>
        <ConsentTable consents={consents} />
      </Section>
      <Section title={texts.agreementsTitle}>
        <AgreementTable agreements={agreements} />
      </Section>
      <Section title={texts.title}>
        <ReceiptList filter={{ userRef }} pageSize={pageSize} withPerson={false} empty={<p>{texts.noAgreements}</p>} />
      </Section>
      <Section title={texts.historyTitle}>
        <HistoryTable history={history} />
      </Section>
    </>
  );
}

interface ErasureResultProps {
  readonly userRef: string;
  readonly erasure: AskedErasure;
  readonly onErased: (erasure: AskedErasure) => void;
}

/** The result of an erasure, for the person who is accountable for it. */
function ErasureResult({ userRef, erasure, onErased }: ErasureResultProps) {
  const texts = useTexts("acceptances");
  const { erasureId, complete } = erasure;
  if (erasureId === null) return <Notice title={texts.erasedNothing} />;
  return (
    <>
      <Notice tone={complete ? "success" : "warning"} title={complete ? texts.erasedPerson : texts.erasedPart}>
        {!complete && <EraseRest userRef={userRef} erasure={erasure} onErased={onErased} />}
      </Notice>
      <Section title={texts.erasureTitle}>
        <ErasureFacts erasure={erasure} />
      </Section>
    </>
  );
}

function EraseRest({ userRef, erasure, onErased }: ErasureResultProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const forget = useForget();
  const rest = useAction(async () => {
    onErased(joined(erasure, await erasePerson(api, userRef, erasure.reason)));
    await forget();
  });
  return (
    <>
      <Button kind="danger" isBusy={rest.isBusy} onPress={() => void rest.run()}>
        {texts.eraseRest}
      </Button>
      {rest.error !== undefined && <ErrorNotice error={rest.error} />}
    </>
  );
}

/** The combined result of two requests for the same person. */
function joined(before: AskedErasure, now: AskedErasure): AskedErasure {
  const { receipts, sessions, consentChanges } = before.erased;
  return {
    ...now,
    erasureId: now.erasureId ?? before.erasureId,
    log: now.log ?? before.log,
    erased: {
      receipts: [...receipts, ...now.erased.receipts],
      sessions: [...sessions, ...now.erased.sessions],
      consentChanges: [...consentChanges, ...now.erased.consentChanges],
    },
    restricted: [...before.restricted, ...now.restricted],
    kept: now.kept.length > 0 ? now.kept : before.kept,
  };
}

function ErasureFacts({ erasure }: { readonly erasure: AskedErasure }) {
  const texts = useTexts("acceptances");
  const { erased, restricted, kept, log, statement } = erasure;
  const { receipts, sessions, consentChanges } = erased;
  const counts = texts.counts(receipts.length, sessions.length, consentChanges.length);
  return (
    <Facts
      facts={[
        [texts.when, <Time key="when" value={erasure.requestedAt} seconds />],
        [texts.erasedRecords, <Erased key="erased" counts={counts} receiptIds={[...receipts, ...consentChanges]} />],
        [texts.restrictedRecords, <Restricted key="restricted" restricted={restricted} />],
        [texts.keptRecords, <Kept key="kept" kept={kept} />],
        [
          texts.erasureStatement,
          <span key="statement" lang="en">
            {statement}
          </span>,
        ],
        ...(log === null
          ? []
          : [[texts.logPlace, <code key="log">{`${log.leafIndex} (${log.leafHash})`}</code>] as const]),
        [texts.erasureId, <code key="id">{erasure.erasureId}</code>],
      ]}
    />
  );
}

function Erased({ counts, receiptIds }: { readonly counts: string; readonly receiptIds: readonly string[] }) {
  if (receiptIds.length === 0) return counts;
  return (
    <details className="acceptance-details">
      <summary>{counts}</summary>
      <ul>
        {receiptIds.map((id) => (
          <li key={id}>
            <Link to={`/acceptances/receipts/${id}`}>{id}</Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Restricted({ restricted }: Pick<AskedErasure, "restricted">) {
  const texts = useTexts("acceptances");
  if (restricted.length === 0) return texts.noneRestricted;
  return (
    <div className="acceptance-parts">
      <ul>
        {restricted.map(({ receiptId, until }) => (
          <li key={receiptId}>
            <Link to={`/acceptances/receipts/${receiptId}`}>{receiptId}</Link>
            <div className="acceptance-aside">
              {texts.restrictedUntil} <Time value={until} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** In the words of the service. */
function Kept({ kept }: Pick<AskedErasure, "kept">) {
  return (
    <div className="acceptance-parts" lang="en">
      <ul>
        {kept.map(({ what, why }) => (
          <li key={what}>
            {what}
            <div className="acceptance-aside">{why}</div>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** With why it was asked for. */
type AskedErasure = Erasure & { readonly reason: string };

interface EraseDialogProps {
  readonly userRef: string;
  readonly isOpen: boolean;
  readonly onErased: (erasure: AskedErasure) => void;
  readonly onClose: () => void;
}

/** Asks for the reason, and for the person's name to be typed. */
function EraseDialog({ userRef, isOpen, onErased, onClose }: EraseDialogProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const forget = useForget();
  const erase = async (values: FormValues) => {
    if (values.text("typed") !== userRef) throw wrongInput(texts.eraseMismatch, "typed");
    onErased(await erasePerson(api, userRef, values.text("reason")));
    onClose();
    await forget();
  };
  return (
    <Dialog title={texts.eraseTitle} isOpen={isOpen} onClose={onClose}>
      <p>{texts.eraseText(userRef)}</p>
      <Form kind="danger" submit={texts.eraseAction} onSubmit={erase} onCancel={onClose}>
        <Select
          name="reason"
          label={texts.eraseReason}
          options={[...texts.eraseReasons].map(([id, label]) => ({ id, label }))}
          defaultValue="DATA_SUBJECT_REQUEST"
        />
        <TextField name="typed" label={texts.eraseTyped} hint={<code>{userRef}</code>} autoComplete="off" isRequired />
      </Form>
    </Dialog>
  );
}

/** May be requested again for a person with more records than one request erases. */
async function erasePerson(api: Api, userRef: string, reason: string): Promise<AskedErasure> {
  const path = `/v1/click/users/${encodeURIComponent(userRef)}?${new URLSearchParams({ reason })}`;
  return { ...(await api.send<Erasure>("DELETE", path)), reason };
}
