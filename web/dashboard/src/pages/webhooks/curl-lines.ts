const origin = (): string => window.location.origin;

const credential = `-H "Authorization: Bearer $API_KEY"`;

/** Ready to be pasted into a shell that has an API key. */
export function addEndpointLine(): string {
  const endpoint = {
    url: "https://www.example.com/hooks/assent",
    eventTypes: ["click.acceptance.recorded", "agreement.completed"],
  };
  const body = `-H "Content-Type: application/json" -d '${JSON.stringify(endpoint)}'`;
  return `curl -X POST ${origin()}/v1/webhooks/endpoints ${credential} ${body}`;
}

/** The same for a first event; where no endpoint is meant, the shell has its id. */
export const sendTestLine = (endpointId = "$ENDPOINT_ID"): string =>
  `curl -X POST ${origin()}/v1/webhooks/endpoints/${endpointId}/test ${credential}`;
