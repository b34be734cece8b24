import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { useEndpoints } from "./queries.ts";
import type { Delivery } from "./types.ts";

/** Where a delivery goes. */
export function ReceiverName({ delivery: { endpointId, connectId } }: { readonly delivery: Delivery }) {
  const texts = useTexts("webhooks");
  const { data: endpoints } = useEndpoints();
  if (connectId !== null) return `${texts.compatible} ${connectId}`;
  if (endpointId === null) return texts.ofAgreement;
  const endpoint = endpoints?.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return endpoints === undefined ? null : texts.deleted;
  return <Link to={`/webhooks/endpoints/${endpointId}`}>{endpoint.url}</Link>;
}
