import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { erasePerson } from "./erase-dialog.tsx";
import { useForget } from "./queries.ts";
import type { Erasure } from "./types.ts";

interface ErasureResultProps {
  readonly userRef: string;
  readonly erasure: Erasure;
  readonly onErased: (erasure: Erasure) => void;
}

/** What an erasure came to, for whoever has to answer for it. */
export function ErasureResult({ userRef, erasure, onErased }: ErasureResultProps) {
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

/** What two requests for the same person have done together. */
function joined(before: Erasure, now: Erasure): Erasure {
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

function ErasureFacts({ erasure }: { readonly erasure: Erasure }) {
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

function Restricted({ restricted }: Pick<Erasure, "restricted">) {
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
function Kept({ kept }: Pick<Erasure, "kept">) {
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
