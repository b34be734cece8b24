import { useInfiniteQuery } from "@tanstack/react-query";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { deviceOf } from "../access/device.ts";
import { Loaded } from "../access/loaded.tsx";
import { AuditDetails } from "./audit-details.tsx";
import "../access/access.css";

interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly subjectId: string | null;
  readonly subjectName: string | null;
  readonly details: Readonly<Record<string, string>>;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

const pageSize = 25;

/** Who did what, page by page. */
export function AuditTrail() {
  const texts = useTexts("organization");
  const api = useApi();
  const events = useInfiniteQuery({
    queryKey: ["audit-events"],
    queryFn: ({ pageParam }) =>
      api.list<AuditEvent>("/v1/dashboard/audit-events", { limit: pageSize, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const columns = useColumns();
  const next = events.data?.pages.at(-1)?.next;
  return (
    <Section title={texts.trail} intro={texts.trailHelp}>
      <Loaded query={events}>
        {({ pages }) => (
          <Table
            label={texts.trail}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.emptyTitle} text={texts.emptyText} />}
          />
        )}
      </Loaded>
      <Pager next={next} isBusy={events.isFetchingNextPage} onMore={() => void events.fetchNextPage()} />
    </Section>
  );
}

function useColumns(): readonly Column<AuditEvent>[] {
  const texts = useTexts("organization");
  return [
    { id: "at", title: texts.when, cell: ({ at }) => <Time value={at} seconds /> },
    { id: "who", title: texts.who, cell: (event) => actorOf(event) ?? texts.somebody, isRowHeader: true },
    { id: "what", title: texts.what, cell: (event) => <What event={event} /> },
    { id: "where", title: texts.where, cell: (event) => <Where event={event} /> },
  ];
}

const actorOf = ({ actorId, actorName }: AuditEvent): string | null => actorName ?? actorId;

function What({ event }: { readonly event: AuditEvent }) {
  const { actions } = useTexts("organization");
  const { action, actorId, subjectId, subjectName, details } = event;
  const words = actions.get(action) ?? action;
  const isOfAnother = subjectName !== null && subjectId !== actorId;
  return (
    <span className="stacked">
      <span>{isOfAnother ? `${words}: ${subjectName}` : words}</span>
      <AuditDetails details={details} />
    </span>
  );
}

function Where({ event: { ip, userAgent, requestId } }: { readonly event: AuditEvent }) {
  const { requestNumber } = useTexts("organization");
  const { browser, system } = deviceOf(userAgent ?? "");
  const from = [ip, [browser, system].filter(Boolean).join(", ")].filter(Boolean).join(" · ");
  return (
    <span className="stacked">
      <span>{from || "–"}</span>
      {requestId && <small title={requestNumber}>{requestId}</small>}
    </span>
  );
}
