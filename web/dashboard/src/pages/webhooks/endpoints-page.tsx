import { useState } from "react";
import type { Endpoint, EndpointWithSecret } from "#api/webhooks.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { addEndpointLine } from "./delivery-list.tsx";
import { EndpointForm, type EndpointValues } from "./endpoint-form.tsx";
import { EndpointState, SecretDialog, WebhookTabs } from "./parts.tsx";
import { useEndpoints, useWebhookChanges } from "./queries.ts";

export function EndpointsPage() {
  const texts = useTexts("webhooks");
  const mayChange = useSession().can("webhooks:write");
  const [isCreating, setIsCreating] = useState(false);
  const add = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={add}>
      <WebhookTabs current="endpoints" />
      <EndpointList mayChange={mayChange} />
      {mayChange && <CreateEndpoint isOpen={isCreating} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function EndpointList({ mayChange }: { readonly mayChange: boolean }) {
  const texts = useTexts("webhooks");
  const { data: endpoints, error, refetch } = useEndpoints();
  if (endpoints === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const columns: Column<Endpoint>[] = [
    { id: "url", title: texts.url, cell: (endpoint) => <EndpointName endpoint={endpoint} /> },
    { id: "events", title: texts.events, cell: ({ eventTypes }) => <WantedTypes types={eventTypes} /> },
    { id: "state", title: texts.state, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
  ];
  const empty = mayChange ? (
    <EmptyState title={texts.emptyTitle} text={texts.emptyText} action={<CopyLine text={addEndpointLine()} />} />
  ) : (
    <EmptyState title={texts.emptyTitle} text={texts.emptyReadOnly} />
  );
  return <Table label={texts.endpoints} columns={columns} rows={endpoints} rowKey={({ id }) => id} empty={empty} />;
}

function EndpointName({ endpoint: { id, url, description } }: { readonly endpoint: Endpoint }) {
  return (
    <>
      <Link to={`/webhooks/endpoints/${id}`}>{url}</Link>
      {description && <div className="webhook-aside">{description}</div>}
    </>
  );
}

/** How many; which ones is told by the page of the endpoint. */
function WantedTypes({ types }: { readonly types: readonly string[] }) {
  const texts = useTexts("webhooks");
  return <span title={types.join(", ")}>{types.length === 0 ? texts.all : texts.typeCount(types.length)}</span>;
}

/** Asks for an endpoint, then shows its secret this once. */
function CreateEndpoint({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
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
