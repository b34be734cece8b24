import "./webhooks.css";
import type { Delivery, Endpoint } from "#api/webhooks.ts";
import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Secret } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { LinkTabs } from "../../ui/page.tsx";
import { useEndpoints } from "./queries.ts";

/** Leads from the endpoints to the deliveries and back. */
export function WebhookTabs({ current }: { readonly current: "endpoints" | "deliveries" }) {
  const texts = useTexts("webhooks");
  return (
    <LinkTabs
      label={texts.tabs}
      tabs={[
        { to: "/webhooks", text: texts.endpoints, isCurrent: current === "endpoints" },
        { to: "/webhooks/deliveries", text: texts.deliveries, isCurrent: current === "deliveries" },
      ]}
    />
  );
}

const endpointTones = { ACTIVE: "success", FAILING: "warning", DISABLED: "info" } as const;
const deliveryTones = { PENDING: "info", DELIVERED: "success", FAILED: "warning", DEAD: "danger" } as const;

export function EndpointState({ endpoint: { status } }: { readonly endpoint: Endpoint }) {
  const { states } = useTexts("webhooks");
  return <Badge tone={endpointTones[status]}>{states[status]}</Badge>;
}

export function DeliveryState({ delivery: { status } }: { readonly delivery: Delivery }) {
  const { deliveryStatus } = useTexts("webhooks");
  return <Badge tone={deliveryTones[status]}>{deliveryStatus[status]}</Badge>;
}

/** Where a delivery goes. */
export function ReceiverName({ delivery: { endpointId, connectId } }: { readonly delivery: Delivery }) {
  const texts = useTexts("webhooks");
  const { data: endpoints } = useEndpoints();
  if (connectId !== null) return `${texts.compatible} ${connectId}`;
  if (endpointId === null) return texts.ofAgreement;
  const endpoint = endpoints?.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return endpoints === undefined ? null : texts.deleted;
  return <Link to={`/webhooks/endpoints/${endpointId}`}>{endpoint.url}</Link>;
}

interface SecretDialogProps {
  /** Nothing is shown without one. */
  readonly secret: string | undefined;
  readonly text: string;
  readonly onClose: () => void;
}

/** Closed by its button alone, since the secret is lost with it. */
export function SecretDialog({ secret, text, onClose }: SecretDialogProps) {
  const texts = useTexts("webhooks");
  return (
    <Dialog title={texts.secretTitle} isOpen={secret !== undefined} onClose={onClose} isDismissable={false}>
      <p>{text}</p>
      {secret !== undefined && <Secret value={secret} label={texts.secretLabel} />}
      <div className="form-buttons">
        <Button kind="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  );
}
