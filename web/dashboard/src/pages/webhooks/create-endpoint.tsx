import { useState } from "react";
import { useSendOnce } from "../../api/send-once.ts";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EndpointForm, type EndpointValues } from "./endpoint-form.tsx";
import { useWebhookChanges } from "./queries.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import type { EndpointWithSecret } from "./types.ts";

/** Asks for an endpoint, then shows its secret this once. */
export function CreateEndpoint({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const texts = useTexts("webhooks");
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const { endpointsChanged } = useWebhookChanges();
  const [created, setCreated] = useState<EndpointWithSecret>();
  const create = async (values: EndpointValues) => {
    setCreated(await sendOnce<EndpointWithSecret>("/v1/webhooks/endpoints", values));
    onClose();
    await endpointsChanged();
  };
  const leave = () => {
    setCreated(undefined);
    if (created !== undefined) navigate(`/webhooks/endpoints/${created.id}`);
  };
  return (
    <>
      <Dialog title={texts.createTitle} isOpen={isOpen} onClose={onClose}>
        <EndpointForm submit={texts.create} onSubmit={create} onCancel={onClose} />
      </Dialog>
      <SecretDialog secret={created?.secret} text={texts.secretCreated} onClose={leave} />
    </>
  );
}
