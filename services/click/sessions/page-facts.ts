/** What may happen on a page that shows a session. */
export type PageEventType =
  | "DISPLAYED"
  | "SCROLLED_TO_END"
  | "LINK_OPENED"
  | "CHECKED"
  | "UNCHECKED"
  | "BUTTON_PRESSED"
  | "DECLINED";

/** Something that the page of a session told us. */
export interface PageEvent {
  readonly type: PageEventType;
  /** By the clock of the page. */
  readonly at: Date | null;
  readonly target: string | null;
  /** By ours. */
  readonly serverAt: Date;
}

/** What the events of a page come to, as far as policies ask for it. */
export interface PageFacts {
  readonly scrolledToEnd: boolean;
  /** How many links were opened. */
  readonly linksOpened: number;
  /** How the box was left; null when it was not touched. */
  readonly ticked: boolean | null;
}

/** The facts after further events, in the order in which they came. */
export function addEvents(known: PageFacts | null, events: readonly Pick<PageEvent, "type">[]): PageFacts {
  let { scrolledToEnd, linksOpened, ticked } = known ?? { scrolledToEnd: false, linksOpened: 0, ticked: null };
  for (const { type } of events) {
    if (type === "SCROLLED_TO_END") scrolledToEnd = true;
    if (type === "LINK_OPENED") linksOpened += 1;
    if (type === "CHECKED" || type === "UNCHECKED") ticked = type === "CHECKED";
  }
  return { scrolledToEnd, linksOpened, ticked };
}
