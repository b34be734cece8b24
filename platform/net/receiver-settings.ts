import { booleanSetting } from "../config.ts";

/** Read by whoever takes or uses addresses that customers name. */
export const privateReceiversSetting = booleanSetting(
  "Events may be sent by http, to any port and to private addresses. For development only: with it, customers reach what this process reaches.",
  false,
);
