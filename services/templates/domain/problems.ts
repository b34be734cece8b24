import { refusals } from "#platform/problems.ts";

export { problem } from "#platform/problems.ts";

export const { invalid, refuse } = refusals("CLICK_VALIDATION_FAILED");
