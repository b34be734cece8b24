import { refusals } from "#platform/problems.ts";

export { problem } from "#platform/problems.ts";

/** How the service refuses a request whose fields are wrong. */
export const { invalid, refuse } = refusals("CLICK_VALIDATION_FAILED");
