import { acceptances } from "./acceptances.ts";
import { account } from "./account.ts";
import { agreements } from "./agreements.ts";
import { brands, pageHosts, senderDomains } from "./brands.ts";
import { campaigns } from "./campaigns.ts";
import { clients } from "./clients.ts";
import { editor } from "./editor.ts";
import { common, entry, frame, pdf } from "./frame.ts";
import { generation } from "./generation.ts";
import { keys } from "./keys.ts";
import { organization } from "./organization.ts";
import { people } from "./people.ts";
import { privacy } from "./privacy.ts";
import { sending } from "./sending.ts";
import { start, statistics } from "./start.ts";
import { templates } from "./templates.ts";
import { webhooks } from "./webhooks.ts";

/** The words for errors; for a code without an entry the words of the answer, which are English. */
const byCode: ReadonlyMap<string, string> = new Map([
  ["UNREACHABLE", "Can’t reach the server. Check your connection and try again."],
  ["PAGE_FAILED", "Something went wrong on this page. Reload it."],
  ["LOGIN_FAILED", "Incorrect email or password."],
  ["PASSKEY_CANCELLED", "No passkey was used. Try again, or go on without one."],
  ["PASSKEY_EXISTS", "This device has one of your passkeys already."],
  ["LINK_INVALID", "This link was already used or has expired. Request a new one."],
]);

/** The same for what is wrong with one field; without an entry the words of the answer. */
const byField: ReadonlyMap<string, string> = new Map();

const errors = { byCode, byField };

/** All words in English; other languages have the same. */
export const en = {
  acceptances,
  account,
  agreements,
  brands,
  pageHosts,
  senderDomains,
  campaigns,
  clients,
  common,
  editor,
  entry,
  errors,
  frame,
  generation,
  keys,
  organization,
  pdf,
  people,
  privacy,
  sending,
  start,
  statistics,
  templates,
  webhooks,
};
