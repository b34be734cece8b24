import { useState } from "react";
import type { Delivery, Endpoint, EndpointWithSecret } from "#api/webhooks.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useNavigate } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { localOf, momentOf } from "../../ui/local-time.ts";
import { ErrorNotice, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { EndpointForm, type EndpointValues } from "./endpoint-form.tsx";
import { SecretDialog } from "./parts.tsx";
import { useWebhookChanges } from "./queries.ts";

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

interface RecoverDialogProps {
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for a range of time, and says how much of it waits again. */
function RecoverDialog({ endpoint, isOpen, onClose }: RecoverDialogProps) {
  const texts = useTexts("webhooks");
  return (
    <Dialog title={texts.recoverTitle} isOpen={isOpen} onClose={onClose}>
      <p>{texts.recoverText}</p>
      <RecoverForm endpoint={endpoint} onClose={onClose} />
    </Dialog>
  );
}

function RecoverForm({ endpoint, onClose }: Omit<RecoverDialogProps, "isOpen">) {
  const texts = useTexts("webhooks");
  const { timeZone } = useLanguage();
  const api = useApi();
  const { deliveriesChanged } = useWebhookChanges();
  const [queued, setQueued] = useState<number>();
  const recover = async (values: FormValues) => {
    const path = `/v1/webhooks/endpoints/${encodeURIComponent(endpoint.id)}/recover`;
    const answer = await api.send<{ queued: number }>("POST", path, rangeOf(values, timeZone, texts));
    setQueued(answer.queued);
    await deliveriesChanged();
  };
  if (queued !== undefined) {
    return (
      <>
        <Notice tone={queued === 0 ? "info" : "success"}>
          {queued === 0 ? texts.recoveredNothing : texts.recovered(queued)}
        </Notice>
        <div className="form-buttons">
          <Button kind="primary" onPress={onClose}>
            {texts.done}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Form submit={texts.recover} onSubmit={recover} onCancel={onClose}>
      <TextField
        name="since"
        type="datetime-local"
        label={texts.since}
        hint={texts.inZone(timeZone)}
        defaultValue={localOf(startOf(endpoint), timeZone)}
        isRequired
      />
      <TextField name="until" type="datetime-local" label={texts.until} hint={texts.untilHelp} />
    </Form>
  );
}

const dayMs = 86_400_000;

/** When it began to miss something, as far as that is known; a day ago otherwise. */
function startOf({ failingSince, disabledAt }: Endpoint): Date {
  const known = failingSince ?? disabledAt;
  return known === null ? new Date(Date.now() - dayMs) : new Date(known);
}

type Words = Readonly<Record<"badTime" | "badRange", string>>;

/** Throws what the form shows at its fields. */
function rangeOf(values: FormValues, timeZone: string, { badTime, badRange }: Words): object {
  const since = momentOf(values.text("since"), timeZone);
  if (since === undefined) throw wrongInput(badTime, "since");
  if (values.text("until") === "") return { since: since.toISOString() };
  const until = momentOf(values.text("until"), timeZone);
  if (until === undefined) throw wrongInput(badTime, "until");
  if (until <= since) throw wrongInput(badRange, "until");
  return { since: since.toISOString(), until: until.toISOString() };
}
