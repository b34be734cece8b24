import { refusals } from "#platform/problems.ts";

export { problem } from "#platform/problems.ts";

/** The code of every refusal for what a request says. */
export const refusal = "CLICK_VALIDATION_FAILED";

export const { invalid, refuse } = refusals(refusal);
