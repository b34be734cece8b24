import type { ReactNode } from "react";
import type { Endpoint } from "#api/webhooks.ts";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointState } from "./parts.tsx";
import { useEndpoint } from "./queries.ts";
import "./webhooks.css";

const latest = 10;

export function EndpointPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("webhooks");
  const mayChange = useSession().can("webhooks:write");
  const { data: endpoint, error, refetch } = useEndpoint(id);
  return (
    <Page title={endpoint?.url ?? texts.endpoint} intro={<Link to="/webhooks">{texts.backToEndpoints}</Link>}>
      {endpoint === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {endpoint !== undefined && (
        <>
          {mayChange && <EndpointActions endpoint={endpoint} />}
          <Trouble endpoint={endpoint} />
          <Section title={texts.endpoint}>
            <Facts facts={factsOf(endpoint, texts)} />
          </Section>
          <Section
            title={texts.latest}
            actions={<Link to={`/webhooks/deliveries?endpointId=${id}`}>{texts.allOfEndpoint}</Link>}
          >
            <DeliveryList filter={{ endpointId: id }} pageSize={latest} withReceiver={false} />
          </Section>
        </>
      )}
    </Page>
  );
}

function factsOf(endpoint: Endpoint, texts: ReturnType<typeof useTexts<"webhooks">>) {
  const facts: [string, ReactNode][] = [
    [texts.state, <EndpointState key="state" endpoint={endpoint} />],
    [texts.events, <Types key="types" types={endpoint.eventTypes} />],
    [texts.created, <Time key="created" value={endpoint.createdAt} />],
    [texts.changed, <Time key="changed" value={endpoint.updatedAt} />],
  ];
  if (endpoint.auditFormat === "OCSF") facts.splice(2, 0, [texts.auditFormat, "OCSF"]);
  if (endpoint.description) facts.unshift([texts.descriptionLabel, endpoint.description]);
  return facts;
}

function Types({ types }: { readonly types: readonly string[] }) {
  const texts = useTexts("webhooks");
  if (types.length === 0) return texts.all;
  return (
    <ul className="webhook-types">
      {types.map((type) => (
        <li key={type}>
          <code>{type}</code>
        </li>
      ))}
    </ul>
  );
}

/** Why nothing, or not everything, arrives; and what to do about it. */
function Trouble({ endpoint }: { readonly endpoint: Endpoint }) {
  const texts = useTexts("webhooks");
  const { status, disabledReason, disabledAt, failingSince, previousSecretUntil } = endpoint;
  return (
    <>
      {status === "DISABLED" && (
        <Notice tone={disabledReason === "BY_REQUEST" ? "info" : "danger"} title={texts.states.DISABLED}>
          {disabledReason !== null && <p>{texts.reasons[disabledReason]}</p>}
          {disabledAt !== null && (
            <p>
              {texts.disabledSince} <Time value={disabledAt} />
            </p>
          )}
        </Notice>
      )}
      {status === "FAILING" && (
        <Notice tone="warning" title={texts.states.FAILING}>
          <p>
            {texts.failingSince} <Time value={failingSince} />. {texts.failingText}
          </p>
        </Notice>
      )}
      {previousSecretUntil !== null && (
        <Notice>
          {texts.twoSecrets} <Time value={previousSecretUntil} />.
        </Notice>
      )}
    </>
  );
}
