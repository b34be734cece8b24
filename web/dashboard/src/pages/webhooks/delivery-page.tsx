import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { AttemptTable } from "./attempt-table.tsx";
import { useDelivery, useWebhookChanges } from "./queries.ts";
import { ReceiverName } from "./receiver-name.tsx";
import { DeliveryState } from "./state-badges.tsx";
import type { Delivery } from "./types.ts";

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
