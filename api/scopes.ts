/** Every scope that a client may have, and what it allows. */
export const scopeMeanings = {
  "sign:read": "Read documents, signatures, agreements and templates.",
  "sign:write": "Create and send documents; create and update agreements.",
  "sign:send": "Send agreements for signing.",
  "sign:admin": "Administrative sign operations (void, delete, purge).",
  "click:read": "Read agreements, acceptances and click resources.",
  "click:write": "Create and manage; also records acceptances.",
  "click:admin":
    "Administrative click operations (delete template, archive version, bulk operations); also records acceptances.",
  "click:accept": "Records acceptances only; cannot read or change templates, deployments or evidence.",
  "gen:read": "Read templates and documents of document generation.",
  "gen:write": "Manage templates of document generation; generate, cancel and delete documents.",
  "webhooks:read": "Read webhook endpoints and deliveries.",
  "webhooks:write": "Create and manage webhook endpoints.",
  "privacy:admin":
    "Find, export and erase people; export the organization; set retention periods; set and lift legal holds; read what was deleted and by whom.",
} as const;

/** What only people have who are signed in to the dashboard: no API key and no OAuth client is ever granted one. */
export const dashboardScopeMeanings = {
  "dashboard:read": "See the organization, and manage one's own account.",
  "dashboard:write": "Manage API keys and OAuth clients; approve texts that others wrote.",
  "dashboard:admin":
    "Manage users and the settings of the organization, decide whether texts need an approval, and read the audit trail.",
} as const;
