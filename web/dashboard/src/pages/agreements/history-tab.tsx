import type { Agreement } from "#api/agreements.ts";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { deviceOf } from "../access/device.ts";
import { useHistory } from "./queries.ts";
import type { AuditEvent } from "./types.ts";
import "./agreements.css";

const pageSize = 50;

/** Who did what and when, as it is kept for evidence. */
export function HistoryTab({ agreement }: { readonly agreement: Agreement }) {
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
