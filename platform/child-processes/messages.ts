/** What a child process sends: first that it is ready, then one answer for each job it gets. */
export interface ChildAnswer<Outcome> {
  readonly outcome: Ready | Done<Outcome> | Defect;
  /** Physical memory of the process after that. */
  readonly residentBytes: number;
}

interface Ready {
  readonly kind: "ready";
}

interface Done<Outcome> {
  readonly kind: "done";
  readonly outcome: Outcome;
}

/** Something was thrown. Its message may have parts of the document in it, so it stays where it was thrown. */
export interface Defect {
  readonly kind: "defect";
  readonly name: string;
  /** Where it was thrown. */
  readonly frames: readonly string[];
}
