import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { useAction } from "../../ui/use-action.ts";
import { EndpointForm, type EndpointValues } from "./endpoint-form.tsx";
import { useWebhookChanges } from "./queries.ts";
import { RecoverDialog } from "./recover-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import type { Delivery, Endpoint, EndpointWithSecret } from "./types.ts";

type Asked = "edit" | "disable" | "rotate" | "recover" | "remove";

/** What whoever may change an endpoint does with it. */
export function EndpointActions({ endpoint }: { readonly endpoint: Endpoint }) {
  const texts = useTexts("webhooks");
  const [asked, setAsked] = useState<Asked>();
  const { test, enable } = useEndpointCalls(endpoint);
  const close = () => setAsked(undefined);
  const error = test.error ?? enable.error;
  return (
    <>
      <div className="form-buttons">
        <Button kind="primary" isDisabled={!endpoint.enabled} isBusy={test.isBusy} onPress={() => void test.run()}>
          {texts.test}
        </Button>
        <Button onPress={() => setAsked("edit")}>{texts.edit}</Button>
        <Button isDisabled={!endpoint.enabled} onPress={() => setAsked("recover")}>
          {texts.recover}
        </Button>
        <Button onPress={() => setAsked("rotate")}>{texts.rotate}</Button>
        {endpoint.enabled ? (
          <Button onPress={() => setAsked("disable")}>{texts.disable}</Button>
        ) : (
          <Button isBusy={enable.isBusy} onPress={() => void enable.run()}>
            {texts.enable}
          </Button>
        )}
        <Button kind="danger" onPress={() => setAsked("remove")}>
          {texts.remove}
        </Button>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      <EditDialog endpoint={endpoint} isOpen={asked === "edit"} onClose={close} />
      <RecoverDialog endpoint={endpoint} isOpen={asked === "recover"} onClose={close} />
      <RotateDialog endpoint={endpoint} isOpen={asked === "rotate"} onClose={close} />
      <EndDialogs endpoint={endpoint} asked={asked} onClose={close} />
    </>
  );
}

interface ActionProps {
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const pathOf = ({ id }: Endpoint): string => `/v1/webhooks/endpoints/${encodeURIComponent(id)}`;

function useEndpointCalls(endpoint: Endpoint) {
  const api = useApi();
  const navigate = useNavigate();
  const { endpointsChanged, deliveriesChanged } = useWebhookChanges();
  const test = useAction(async () => {
    const delivery = await api.send<Delivery>("POST", `${pathOf(endpoint)}/test`);
    void deliveriesChanged();
    navigate(`/webhooks/deliveries/${delivery.id}`);
  });
  const enable = useAction(async () => {
    await api.send("PATCH", pathOf(endpoint), { enabled: true });
    await endpointsChanged();
  });
  return { test, enable };
}

function EditDialog({ endpoint, isOpen, onClose }: ActionProps) {
  const texts = useTexts("webhooks");
  const api = useApi();
  const { endpointsChanged } = useWebhookChanges();
  const save = async (values: EndpointValues) => {
    await api.send("PATCH", pathOf(endpoint), values);
    await endpointsChanged();
    onClose();
  };
  return (
    <Dialog title={texts.editTitle} isOpen={isOpen} onClose={onClose}>
      <EndpointForm endpoint={endpoint} submit={texts.save} onSubmit={save} onCancel={onClose} />
    </Dialog>
  );
}

function RotateDialog({ endpoint, isOpen, onClose }: ActionProps) {
  const texts = useTexts("webhooks");
  const api = useApi();
  const { endpointsChanged } = useWebhookChanges();
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    setSecret((await api.send<EndpointWithSecret>("POST", `${pathOf(endpoint)}/rotate-secret`)).secret);
    await endpointsChanged();
  };
  return (
    <>
      <ConfirmDialog
        title={texts.rotateTitle}
        text={texts.rotateText(endpoint.url)}
        action={texts.rotateConfirm}
        kind="primary"
        isOpen={isOpen}
        onConfirm={rotate}
        onClose={onClose}
      />
      <SecretDialog secret={secret} text={texts.secretRotated} onClose={() => setSecret(undefined)} />
    </>
  );
}

/** What ends the sending. */
function EndDialogs({
  endpoint,
  asked,
  onClose,
}: {
  readonly endpoint: Endpoint;
  readonly asked: Asked | undefined;
  readonly onClose: () => void;
}) {
  const texts = useTexts("webhooks");
  const api = useApi();
  const navigate = useNavigate();
  const { endpointsChanged, deliveriesChanged, endpointGone } = useWebhookChanges();
  const disable = async () => {
    await api.send("PATCH", pathOf(endpoint), { enabled: false });
    await Promise.all([endpointsChanged(), deliveriesChanged()]);
  };
  const remove = async () => {
    await api.send("DELETE", pathOf(endpoint));
    navigate("/webhooks", { replace: true });
    await endpointGone(endpoint.id);
  };
  return (
    <>
      <ConfirmDialog
        title={texts.disableTitle}
        text={texts.disableText(endpoint.url)}
        action={texts.disable}
        isOpen={asked === "disable"}
        onConfirm={disable}
        onClose={onClose}
      />
      <ConfirmDialog
        title={texts.removeTitle}
        text={texts.removeText(endpoint.url)}
        action={texts.remove}
        isOpen={asked === "remove"}
        onConfirm={remove}
        onClose={onClose}
      />
    </>
  );
}
