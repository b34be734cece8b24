import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import type { Attempt, Delivery } from "./types.ts";
import "./webhooks.css";

/** The latest first. */
export function AttemptTable({ delivery: { attempts, attemptCount } }: { readonly delivery: Delivery }) {
  const texts = useTexts("webhooks");
  const { locale } = useLanguage();
  const columns: Column<Attempt>[] = [
    { id: "at", title: texts.at, cell: ({ at }) => <Time value={at} seconds /> },
    { id: "answered", title: texts.answered, cell: ({ statusCode }) => <StatusCode code={statusCode} /> },
    {
      id: "took",
      title: texts.took,
      cell: ({ durationMs }) => texts.milliseconds(durationMs.toLocaleString(locale)),
      align: "end",
      width: "short",
    },
    { id: "what", title: texts.error, cell: ({ error }) => error ?? "–" },
    { id: "response", title: texts.response, cell: ({ response }) => <Beginning text={response} /> },
    { id: "to", title: texts.to, cell: ({ url }) => url },
  ];
  return (
    <>
      <Table
        label={texts.attemptsTitle}
        columns={columns}
        rows={attempts}
        rowKey={({ at }) => at}
        empty={<p>{texts.noAttempts}</p>}
      />
      {attempts.length > 0 && attempts.length < attemptCount && (
        <p className="webhook-aside">{texts.attemptsMore(attempts.length, attemptCount)}</p>
      )}
    </>
  );
}

function StatusCode({ code }: { readonly code: number | null }) {
  const { noAnswer } = useTexts("webhooks");
  if (code === null) return <Badge tone="danger">{noAnswer}</Badge>;
  return <Badge tone={code >= 200 && code < 300 ? "success" : "danger"}>{code}</Badge>;
}

/** As the receiver wrote it. */
function Beginning({ text }: { readonly text: string | null }) {
  return text === null ? "–" : <pre className="webhook-response">{text}</pre>;
}
