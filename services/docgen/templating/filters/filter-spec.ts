import type { FilterHandler } from "liquidjs/dist/template/filter-impl-options.js";

/** What a filter takes; what a datum has to be when the filter is the first one that it goes through. */
export type FilterInput = "text" | "number" | "date" | "list" | "sized" | "any";

export type FilterArgument =
  | "any"
  | "text"
  | "number"
  /** The name of a property of the items of a list. */
  | "property"
  | "list"
  /** Literals only, so that they are checked with the template. */
  | "currency"
  | "digits"
  | "dateFormat"
  | "timeFormat";

export interface FilterSpec {
  readonly input: FilterInput;
  readonly arguments: readonly FilterArgument[];
  /** How many of the arguments have to be there. */
  readonly required: number;
  readonly handler: FilterHandler;
  /** Nothing may come after it. */
  readonly isLast?: boolean;
}

/** A text whose line ends are to be shown. */
export class Lines {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const isLines = (value: unknown): value is Lines => value instanceof Lines;
