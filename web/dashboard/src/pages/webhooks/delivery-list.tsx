import { useMemo } from "react";
import type { Delivery } from "#api/webhooks.ts";
import { Link } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { DeliveryState, ReceiverName } from "./parts.tsx";
import { type DeliveryFilter, useDeliveries } from "./queries.ts";
import "./webhooks.css";

interface DeliveryListProps {
  readonly filter: DeliveryFilter;
  readonly pageSize: number;
  readonly withReceiver?: boolean;
  /** Whether the person has narrowed it down, so that no row does not mean that nothing was sent. */
  readonly isNarrowed?: boolean;
}

export function DeliveryList({ filter, pageSize, withReceiver = true, isNarrowed = false }: DeliveryListProps) {
  const texts = useTexts("webhooks");
  const list = useDeliveries(filter, pageSize);
  const columns = useColumns(withReceiver);
  if (list.data === undefined) {
    return list.error ? <ErrorState error={list.error} retry={() => void list.refetch()} /> : <Loading />;
  }
  const rows = list.data.pages.flatMap(({ items }) => items);
  return (
    <>
      <Table
        label={texts.deliveries}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          isNarrowed ? (
            <EmptyState title={texts.noneMatch} text={texts.noneMatchText} />
          ) : (
            <NothingSent endpointId={filter.endpointId} />
          )
        }
      />
      <MoreRows list={list} />
    </>
  );
}

function useColumns(withReceiver: boolean): Column<Delivery>[] {
  const texts = useTexts("webhooks");
  return useMemo(() => {
    const receiver: Column<Delivery> = {
      id: "receiver",
      title: texts.endpoint,
      cell: (delivery) => <ReceiverName delivery={delivery} />,
    };
    return [
      {
        id: "event",
        title: texts.event,
        width: "broad",
        cell: ({ id, eventType }) => <Link to={`/webhooks/deliveries/${id}`}>{eventType}</Link>,
      },
      ...(withReceiver ? [receiver] : []),
      { id: "status", title: texts.status, cell: (delivery) => <StatusCell delivery={delivery} /> },
      { id: "attempts", title: texts.attempts, cell: (delivery) => <AttemptsCell delivery={delivery} /> },
      { id: "happened", title: texts.happened, cell: ({ occurredAt }) => <Time value={occurredAt} seconds /> },
    ];
  }, [texts, withReceiver]);
}

function StatusCell({ delivery }: { readonly delivery: Delivery }) {
  const texts = useTexts("webhooks");
  return (
    <>
      <DeliveryState delivery={delivery} />
      {delivery.nextAttemptAt !== null && delivery.status === "FAILED" && (
        <div className="webhook-aside">
          {texts.next} <RelativeTime value={delivery.nextAttemptAt} />
        </div>
      )}
    </>
  );
}

/** How many, and what the last one came to when it failed. */
function AttemptsCell({ delivery: { attempts, attemptCount, status } }: { readonly delivery: Delivery }) {
  const error = status === "DELIVERED" ? null : attempts[0]?.error;
  return (
    <>
      {attemptCount}
      {error && <div className="webhook-aside">{error}</div>}
    </>
  );
}

function NothingSent({ endpointId }: { readonly endpointId: string | undefined }) {
  const texts = useTexts("webhooks");
  const mayWrite = useSession().can("webhooks:write");
  if (!mayWrite) return <EmptyState title={texts.noDeliveries} text={texts.noDeliveriesForYou} />;
  return (
    <EmptyState
      title={texts.noDeliveries}
      text={texts.noDeliveriesText}
      action={<CopyLine text={sendTestLine(endpointId)} />}
    />
  );
}

const origin = (): string => window.location.origin;

const credential = `-H "Authorization: Bearer $API_KEY"`;

/** Ready to be pasted into a shell that has an API key. */
export function addEndpointLine(): string {
  const endpoint = {
    url: "https://www.example.com/hooks/assent",
    eventTypes: ["click.acceptance.recorded", "agreement.completed"],
  };
  const body = `-H "Content-Type: application/json" -d '${JSON.stringify(endpoint)}'`;
  return `curl -X POST ${origin()}/v1/webhooks/endpoints ${credential} ${body}`;
}

/** The same for a first event; where no endpoint is meant, the shell has its id. */
const sendTestLine = (endpointId = "$ENDPOINT_ID"): string =>
  `curl -X POST ${origin()}/v1/webhooks/endpoints/${endpointId}/test ${credential}`;
