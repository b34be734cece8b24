import "./webhooks.css";
import { useState } from "react";
import type { Attempt, Delivery } from "#api/webhooks.ts";
import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { DeliveryState, ReceiverName } from "./parts.tsx";
import { useDelivery, useWebhookChanges } from "./queries.ts";

export function DeliveryPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("webhooks");
  const { data: delivery, error, refetch } = useDelivery(id);
  return (
    <Page
      title={delivery?.eventType ?? texts.delivery}
      intro={<Link to="/webhooks/deliveries">{texts.backToDeliveries}</Link>}
    >
      {delivery === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {delivery !== undefined && (
        <>
          <Resend delivery={delivery} />
          <Section title={texts.delivery}>
            <DeliveryFacts delivery={delivery} />
          </Section>
          <Section title={texts.attemptsTitle}>
            <AttemptTable delivery={delivery} />
          </Section>
        </>
      )}
    </Page>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const texts = useTexts("webhooks");
  return (
    <Facts
      facts={[
        [texts.status, <DeliveryState key="status" delivery={delivery} />],
        [texts.endpoint, <ReceiverName key="receiver" delivery={delivery} />],
        [texts.happened, <Time key="happened" value={delivery.occurredAt} seconds />],
        delivery.nextAttemptAt === null
          ? [texts.deliveredAt, <Time key="delivered" value={delivery.deliveredAt} seconds />]
          : [texts.next, <RelativeTime key="next" value={delivery.nextAttemptAt} />],
        [texts.eventId, <code key="event">{delivery.eventId}</code>],
        [texts.deliveryId, <code key="delivery">{delivery.id}</code>],
      ]}
    />
  );
}

function Resend({ delivery }: { readonly delivery: Delivery }) {
  const texts = useTexts("webhooks");
  const api = useApi();
  const mayChange = useSession().can("webhooks:write");
  const { deliveryIs, deliveriesChanged } = useWebhookChanges();
  const [isSent, setIsSent] = useState(false);
  const resend = useAction(async () => {
    const path = `/v1/webhooks/deliveries/${encodeURIComponent(delivery.id)}/resend`;
    deliveryIs(await api.send<Delivery>("POST", path));
    setIsSent(true);
    await deliveriesChanged();
  });
  if (!mayChange) return null;
  return (
    <>
      <div className="form-buttons">
        <Button kind="primary" isBusy={resend.isBusy} onPress={() => void resend.run()}>
          {texts.resend}
        </Button>
        <span className="webhook-aside">{texts.resendHint}</span>
      </div>
      {resend.error !== undefined && <ErrorNotice error={resend.error} />}
      {isSent && resend.error === undefined && <Notice tone="success">{texts.resent}</Notice>}
    </>
  );
}

/** The latest first. */
function AttemptTable({ delivery: { attempts, attemptCount } }: { readonly delivery: Delivery }) {
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
