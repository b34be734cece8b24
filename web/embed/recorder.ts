/** Something that a person did with the text, or that the page did to show it. */
export interface PresentationEvent {
  readonly type: "DISPLAYED" | "SCROLLED_TO_END" | "LINK_OPENED" | "CHECKED" | "UNCHECKED" | "BUTTON_PRESSED";
  readonly at: string;
  readonly target?: string;
}

/** Writes down what happens, as the evidence needs it. */
export interface Recorder {
  /** The text can be seen, where only the first time counts, or what is named beside it. */
  displayed(target?: string): void;
  /** The end of what is told before the text can be seen; only the first time counts. */
  disclosed(): void;
  scrolledToEnd(): void;
  opened(name: string): void;
  ticked(target: string, isTicked: boolean): void;
  pressed(target: string): void;
  readonly isScrolledToEnd: boolean;
  readonly isDisclosed: boolean;
  readonly documentsOpened: readonly string[];
  /** Undefined until the text was displayed. */
  displayedMs(): number | undefined;
  events(): readonly PresentationEvent[];
}

/** What the API takes; room is kept for the last ones. */
const maxEvents = 100;
const maxDocuments = 50;

export function createRecorder(onChange: () => void): Recorder {
  const events: PresentationEvent[] = [];
  const documentsOpened: string[] = [];
  let displayedAt: number | undefined;
  let isScrolledToEnd = false;
  let isDisclosed = false;
  const add = (type: PresentationEvent["type"], target?: string): void => {
    const oldestTick = events.findIndex((event) => event.type === "CHECKED" || event.type === "UNCHECKED");
    // Without room for more, the oldest ticks go: what counts is how a box was left in the end.
    if (events.length >= maxEvents) events.splice(Math.max(oldestTick, 1), 1);
    const at = new Date().toISOString();
    events.push(target === undefined ? { type, at } : { type, at, target: target.slice(0, 500) });
    onChange();
  };
  return {
    displayed: (target) => {
      if (target !== undefined) return add("DISPLAYED", target);
      if (displayedAt !== undefined) return;
      displayedAt = performance.now();
      add("DISPLAYED");
    },
    disclosed: () => {
      if (isDisclosed) return;
      isDisclosed = true;
      add("DISPLAYED", "esignDisclosure");
    },
    scrolledToEnd: () => {
      if (isScrolledToEnd) return;
      isScrolledToEnd = true;
      add("SCROLLED_TO_END");
    },
    opened: (name) => {
      const document = name.slice(0, 2048);
      if (documentsOpened.length < maxDocuments && !documentsOpened.includes(document)) documentsOpened.push(document);
      add("LINK_OPENED", name);
    },
    ticked: (target, isTicked) => add(isTicked ? "CHECKED" : "UNCHECKED", target),
    pressed: (target) => add("BUTTON_PRESSED", target),
    get isScrolledToEnd() {
      return isScrolledToEnd;
    },
    get isDisclosed() {
      return isDisclosed;
    },
    documentsOpened,
    displayedMs: () => (displayedAt === undefined ? undefined : Math.round(performance.now() - displayedAt)),
    events: () => [...events],
  };
}
