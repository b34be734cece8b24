import { dateFilters } from "./date-filter.ts";
import type { FilterSpec } from "./filter-spec.ts";
import { listFilters } from "./list-filters.ts";
import { numberFilters } from "./number-filters.ts";
import { textFilters } from "./text-filters.ts";

/** All filters by their names. */
export const filterSpecs: Readonly<Record<string, FilterSpec>> = {
  ...textFilters,
  ...listFilters,
  ...numberFilters,
  ...dateFilters,
};
