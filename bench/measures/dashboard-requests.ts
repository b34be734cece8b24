/** What the requests of pages name. */
export interface DashboardIds {
  readonly templateId: string;
  readonly agreementId: string;
  readonly documentTemplateId: string;
  readonly endpointId: string;
  readonly userRef: string;
}

/** A request that a page of the dashboard makes. */
export interface PageRequest {
  readonly what: string;
  readonly path: string;
  /** Of the page of the list that begins after a tenth of what there is. */
  readonly isDeep?: boolean;
}

/** Lists with each of their filters, and whatever counts. What belongs to one template or agreement is as much as ever. */
export function pageRequests(ids: DashboardIds): PageRequest[] {
  const sixHoursAgo = new Date(Date.now() - 30 * 3_600_000).toISOString();
  return [
    { what: "overview", path: "/v1/dashboard/overview?timeZone=Europe%2FBerlin" },
    ...templateRequests(ids),
    ...acceptanceRequests(ids, sixHoursAgo),
    ...agreementRequests(ids, sixHoursAgo),
    ...generationRequests(ids),
    ...deliveryRequests(ids),
    ...list("audit events", "/v1/dashboard/audit-events", { "": "" }),
    { what: "people", path: "/v1/dashboard/users" },
    { what: "API keys", path: "/v1/dashboard/api-keys" },
    { what: "clients", path: "/v1/dashboard/clients" },
  ];
}

const templateRequests = ({ templateId }: DashboardIds): PageRequest[] => [
  ...list("templates", "/v1/click/templates", {
    "": "",
    "search that finds one": "&search=policy-17",
    "search that finds most": "&search=pol",
    "search that finds none": "&search=zebra",
    published: "&status=PUBLISHED",
    drafts: "&status=DRAFT",
    archived: "&status=ARCHIVED",
    "published, with a search": "&status=PUBLISHED&search=pol",
  }),
  { what: "templates to choose from", path: "/v1/click/templates" },
  { what: "a template", path: `/v1/click/templates/${templateId}` },
  { what: "its statistics", path: `/v1/click/templates/${templateId}/stats` },
];

const acceptanceRequests = ({ templateId, userRef }: DashboardIds, since: string): PageRequest[] => [
  ...list("acceptances", "/v1/click/acceptances", {
    "": "",
    "of a person": `&userRef=${userRef}`,
    "of nobody": "&userRef=nobody",
    "of a template": `&templateId=${templateId}`,
    "of some hours": `&from=${since}`,
    "before all": "&to=2020-01-01T00:00:00Z",
  }),
  { what: "consent of a person", path: `/v1/click/consent/${userRef}?includeHistory=true` },
];

const agreementRequests = ({ agreementId }: DashboardIds, since: string): PageRequest[] => [
  ...list("agreements", "/v1/sign/agreements", {
    "": "",
    completed: "&status=completed",
    sent: "&status=sent",
    "expired, of which there are none": "&status=expired",
    "text that finds one": "&text=agreement%20777",
    "text that finds most": "&text=agreement",
    "text that finds none": "&text=zebra",
    "text and status": "&text=zebra&status=sent",
    "an e-mail address": "&email=signer1-77%40example.com",
    "created within hours": `&dateField=created&from=${since}`,
    "sent within hours": `&dateField=sent&from=${since}`,
    "completed before all": "&dateField=completed&to=2020-01-01T00:00:00Z",
    "declined within hours": `&dateField=declined&from=${since}`,
  }),
  { what: "an agreement", path: `/v1/sign/agreements/${agreementId}` },
  { what: "its audit events", path: `/v1/sign/agreements/${agreementId}/audit-events?limit=50` },
  { what: "templates of agreements", path: "/v1/sign/templates?limit=10&text=zebra" },
];

const generationRequests = ({ documentTemplateId }: DashboardIds): PageRequest[] => [
  ...list("templates of documents", "/v1/gen/templates", { "": "" }),
  { what: "templates of documents to choose from", path: "/v1/gen/templates?limit=200" },
  ...list("documents", "/v1/gen/documents", {
    "": "",
    completed: "&status=completed",
    "failed, of which there are none": "&status=failed",
    expired: "&status=expired",
    "of a template": `&templateId=${documentTemplateId}`,
  }),
  ...list("batches", "/v1/gen/batches", {
    "": "",
    completed: "&state=completed",
    "running, of which there are none": "&state=running",
  }),
  { what: "usage", path: "/v1/gen/usage" },
];

const deliveryRequests = ({ endpointId }: DashboardIds): PageRequest[] => [
  { what: "endpoints", path: "/v1/webhooks/endpoints" },
  ...list("deliveries", "/v1/webhooks/deliveries", {
    "": "",
    delivered: "&status=DELIVERED",
    dead: "&status=DEAD",
    pending: "&status=PENDING",
    "of an endpoint": `&endpointId=${endpointId}`,
    "dead ones of an endpoint": `&endpointId=${endpointId}&status=DEAD`,
    "of a type that there is not": "&eventType=sign.agreement.completed",
  }),
];

/** The first page with each filter, and a page far behind without any. */
const list = (what: string, path: string, filters: Readonly<Record<string, string>>): PageRequest[] => [
  ...Object.entries(filters).map(([name, filter]) => ({
    what: name === "" ? what : `${what}: ${name}`,
    path: `${path}?limit=25${filter}`,
  })),
  { what: `${what}: a page far behind`, path: `${path}?limit=25`, isDeep: true },
];
