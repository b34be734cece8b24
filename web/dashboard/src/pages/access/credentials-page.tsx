import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type Credential, Loaded, WithRevoked } from "./parts.tsx";

interface CredentialsPageProps<Item extends Credential> {
  readonly texts: CredentialsTexts;
  /** The path of the list; a DELETE of an id below it revokes that credential. */
  readonly path: string;
  /** The columns, given what revokes one of them, or nothing for those who may only read. */
  readonly columns: (onRevoke: ((item: Item) => void) | undefined) => readonly Column<Item>[];
  readonly createDialog: (onCreated: () => Promise<unknown>, onClose: () => void) => ReactNode;
  readonly children?: ReactNode;
}

interface CredentialsTexts {
  readonly title: string;
  readonly intro: string;
  readonly create: string;
  readonly showRevoked: (count: number) => string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly emptyReadOnly: string;
  readonly revoke: string;
  readonly revokeTitle: (name: string) => string;
  readonly revokeText: string;
}

/** A list of keys or clients, of which new ones are made and old ones revoked. */
export function CredentialsPage<Item extends Credential>({
  texts,
  path,
  columns,
  createDialog,
  children,
}: CredentialsPageProps<Item>) {
  const api = useApi();
  const mayWrite = useSession().can("dashboard:write");
  const credentials = useQuery({ queryKey: [path], queryFn: () => api.get<Item[]>(path) });
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<Item>();
  const create = mayWrite && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={Boolean(credentials.data?.length) && create}>
      <Loaded query={credentials}>
        {(all) => (
          <WithRevoked items={all} showRevoked={texts.showRevoked}>
            {(shown) => (
              <Table
                label={texts.title}
                columns={columns(mayWrite ? setRevoking : undefined)}
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
      {isCreating && createDialog(credentials.refetch, () => setIsCreating(false))}
      {children}
      {revoking && (
        <ConfirmDialog
          isOpen
          title={texts.revokeTitle(revoking.name)}
          text={texts.revokeText}
          action={texts.revoke}
          onConfirm={async () => {
            await api.send("DELETE", `${path}/${encodeURIComponent(revoking.id)}`);
            await credentials.refetch();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </Page>
  );
}
