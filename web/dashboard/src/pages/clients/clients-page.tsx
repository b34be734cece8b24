import { useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { CredentialsPage } from "../access/credentials-page.tsx";
import type { Client } from "./client.ts";
import { clientColumns } from "./client-columns.tsx";
import { CreateClientDialog } from "./create-client-dialog.tsx";
import { RotateSecretDialog } from "./rotate-secret-dialog.tsx";

/** The OAuth clients of the organization. */
export function ClientsPage() {
  const texts = useTexts("clients");
  const [rotating, setRotating] = useState<Client>();
  return (
    <CredentialsPage<Client>
      texts={texts}
      path="/v1/dashboard/clients"
      columns={(onRevoke) => clientColumns(texts, onRevoke && { onRotate: setRotating, onRevoke })}
      createDialog={(onCreated, onClose) => <CreateClientDialog onCreated={onCreated} onClose={onClose} />}
    >
      {rotating && <RotateSecretDialog client={rotating} onClose={() => setRotating(undefined)} />}
    </CredentialsPage>
  );
}
