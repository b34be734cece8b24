/** Every scope of the product and what it allows. */
export const scopeMeanings = {
  "sign:read": "Read documents, signatures, agreements and templates.",
  "sign:write": "Create and send documents; create and update agreements.",
  "sign:send": "Send agreements for signing.",
  "sign:admin": "Administrative sign operations (void, delete).",
  "click:read": "Read agreements, acceptances and click resources.",
  "click:write": "Create and manage; also records acceptances.",
  "click:admin":
    "Administrative click operations (delete template, archive version, bulk operations); also records acceptances.",
  "click:accept": "Records acceptances only; cannot read or change templates, deployments or evidence.",
  "gen:read": "Read templates and documents of document generation.",
  "gen:write": "Manage templates of document generation; generate, cancel and delete documents.",
  "webhooks:read": "Read webhook endpoints and deliveries.",
  "webhooks:write": "Create and manage webhook endpoints.",
} as const;

export type Scope = keyof typeof scopeMeanings;

/** What an API key may do: everything. */
export const allScopes: ReadonlySet<string> = new Set(Object.keys(scopeMeanings));
