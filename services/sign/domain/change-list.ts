import type { Agreement } from "./agreement.ts";
import type { Change } from "./change.ts";

/** Nothing happens. */
export const noChange = (agreement: Agreement): Change => changeTo(agreement, {});

/** A change to this, with what belongs to it. */
export const changeTo = (agreement: Agreement, parts: Partial<Omit<Change, "agreement">>): Change => ({
  agreement,
  audit: [],
  events: [],
  jobs: [],
  ...parts,
});

/** Two changes as one; the second was decided over the agreement of the first. */
export const combineChanges = (first: Change, second: Change): Change => ({
  agreement: second.agreement,
  audit: [...first.audit, ...second.audit],
  events: [...first.events, ...second.events],
  jobs: [...first.jobs, ...second.jobs],
});

/** Decides the next change over what the first one came to. */
export const thenChange = (first: Change, decide: (agreement: Agreement) => Change): Change =>
  combineChanges(first, decide(first.agreement));
