import type { Texts } from "../texts.tsx";
import { acceptances } from "./acceptances.ts";
import { account } from "./account.ts";
import { agreements } from "./agreements.ts";
import { brands, pageHosts, senderDomains } from "./brands.ts";
import { campaigns } from "./campaigns.ts";
import { clients } from "./clients.ts";
import { editor } from "./editor.ts";
import { errors } from "./errors.ts";
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

/** All words in German. */
export const de: Texts = {
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
