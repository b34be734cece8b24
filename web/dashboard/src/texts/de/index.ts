import type { Texts } from "../texts.tsx";
import { account } from "./account.ts";
import { clients } from "./clients.ts";
import { common } from "./common.ts";
import { entry } from "./entry.ts";
import { errors } from "./errors.ts";
import { frame } from "./frame.ts";
import { keys } from "./keys.ts";
import { organization } from "./organization.ts";
import { people } from "./people.ts";
import { start } from "./start.ts";
import { webhooks } from "./webhooks.ts";

/** All words in German. */
export const de: Texts = {
  account,
  clients,
  common,
  entry,
  errors,
  frame,
  keys,
  organization,
  people,
  start,
  webhooks,
};
