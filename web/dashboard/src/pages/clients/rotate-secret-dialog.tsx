import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import type { Client, ClientWithSecret } from "./client.ts";
import { ClientSecret } from "./client-secret.tsx";

/** Asks whether the old secret may stop working, and then shows the new one this once. */
export function RotateSecretDialog({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const texts = useTexts("clients");
  const api = useApi();
  const [rotated, setRotated] = useState<ClientWithSecret>();
  if (rotated !== undefined) {
    return (
      <Dialog title={texts.rotatedTitle} isOpen isDismissable={false} onClose={onClose}>
        <ClientSecret client={rotated} lead={texts.rotatedLead(rotated.name)} onClose={onClose} />
      </Dialog>
    );
  }
  const path = `/v1/dashboard/clients/${encodeURIComponent(client.id)}/rotate-secret`;
  return (
    <Dialog title={texts.rotateTitle(client.name)} isOpen onClose={onClose}>
      <Form
        submit={texts.rotateConfirm}
        kind="danger"
        onCancel={onClose}
        onSubmit={async () => setRotated(await api.send("POST", path))}
      >
        <p>{texts.rotateText}</p>
      </Form>
    </Dialog>
  );
}
