import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { type Credential, WithRevoked } from "../access/credentials.tsx";
import { Loaded } from "../access/loaded.tsx";
import { RowButtons } from "../access/row-buttons.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import "../access/access.css";

/** The API keys of the organization. */
export function KeysPage() {
  const texts = useTexts("keys");
  const api = useApi();
  const mayWrite = useSession().can("dashboard:write");
  const keys = useQuery({
    queryKey: ["api-keys"],
    queryFn: () => api.get<Credential[]>("/v1/dashboard/api-keys"),
  });
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<Credential>();
  const columns = useColumns(mayWrite ? setRevoking : undefined);
  const create = mayWrite && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={Boolean(keys.data?.length) && create}>
      <Loaded query={keys}>
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
      {isCreating && <CreateKeyDialog onCreated={keys.refetch} onClose={() => setIsCreating(false)} />}
      {revoking && (
        <ConfirmDialog
          isOpen
          title={texts.revokeTitle(revoking.name)}
          text={texts.revokeText}
          action={texts.revoke}
          onConfirm={async () => {
            await api.send("DELETE", `/v1/dashboard/api-keys/${encodeURIComponent(revoking.id)}`);
            await keys.refetch();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </Page>
  );
}

function useColumns(onRevoke: ((key: Credential) => void) | undefined): readonly Column<Credential>[] {
  const texts = useTexts("keys");
  const columns: Column<Credential>[] = [
    {
      id: "name",
      title: texts.name,
      cell: ({ name, revokedAt }) => (
        <span className="inline">
          {name}
          {revokedAt !== null && <Badge>{texts.revoked}</Badge>}
        </span>
      ),
    },
    { id: "id", title: texts.id, cell: ({ id }) => <code>{id}</code> },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "used", title: texts.lastUsed, cell: ({ lastUsedAt }) => <RelativeTime value={lastUsedAt} /> },
  ];
  if (onRevoke === undefined) return columns;
  const buttons: Column<Credential> = {
    id: "buttons",
    title: "",
    align: "end",
    cell: (key) =>
      key.revokedAt === null && (
        <RowButtons>
          <Button kind="quiet" aria-label={texts.revokeOf(key.name)} onPress={() => onRevoke(key)}>
            {texts.revoke}
          </Button>
        </RowButtons>
      ),
  };
  return [...columns, buttons];
}
