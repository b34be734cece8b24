import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { WithRevoked } from "../access/credentials.tsx";
import { Loaded } from "../access/loaded.tsx";
import type { Client } from "./client.ts";
import { CreateClientDialog } from "./create-client-dialog.tsx";
import { RotateSecretDialog } from "./rotate-secret-dialog.tsx";
import { useClientColumns } from "./use-client-columns.tsx";

/** The OAuth clients of the organization. */
export function ClientsPage() {
  const texts = useTexts("clients");
  const api = useApi();
  const mayWrite = useSession().can("dashboard:write");
  const clients = useQuery({
    queryKey: ["clients"],
    queryFn: () => api.get<Client[]>("/v1/dashboard/clients"),
  });
  const [isCreating, setIsCreating] = useState(false);
  const [rotating, setRotating] = useState<Client>();
  const [revoking, setRevoking] = useState<Client>();
  const columns = useClientColumns(mayWrite ? { onRotate: setRotating, onRevoke: setRevoking } : undefined);
  const create = mayWrite && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={Boolean(clients.data?.length) && create}>
      <Loaded query={clients}>
        {(all) => (
          <WithRevoked items={all} showRevoked={texts.showRevoked}>
            {(shown) => (
              <Table
                label={texts.title}
                columns={columns}
                rows={shown}
                rowKey={({ id }) => id}
                empty={
                  <EmptyState
                    title={texts.emptyTitle}
                    text={mayWrite ? texts.emptyText : texts.emptyReadOnly}
                    action={all.length === 0 && create}
                  />
                }
              />
            )}
          </WithRevoked>
        )}
      </Loaded>
      {isCreating && <CreateClientDialog onCreated={clients.refetch} onClose={() => setIsCreating(false)} />}
      {rotating && <RotateSecretDialog client={rotating} onClose={() => setRotating(undefined)} />}
      {revoking && (
        <ConfirmDialog
          isOpen
          title={texts.revokeTitle(revoking.name)}
          text={texts.revokeText}
          action={texts.revoke}
          onConfirm={async () => {
            await api.send("DELETE", `/v1/dashboard/clients/${encodeURIComponent(revoking.id)}`);
            await clients.refetch();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </Page>
  );
}
