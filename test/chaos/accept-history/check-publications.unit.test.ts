import type { Run } from "./healthy-run.ts";
import { expectViolations, receiptOf } from "./spoiled-run.ts";

const publication = ({ publications }: Run, revision: number) => {
  const found = publications.find((one) => one.revision === revision);
  if (found === undefined) throw new Error(`there is no revision ${revision}`);
  return found;
};

/** Learns of a receipt only when asking again. */
const key = "retried";

const session = (run: Run) => {
  const [only] = run.sessions;
  if (only === undefined) throw new Error("there is no session");
  return only;
};

expectViolations("an acceptance names a live text", {
  "it was never published": (run) => {
    receiptOf(run, key).revision = 9;
  },
  "its time has not come": (run) => {
    receiptOf(run, key).revision = 4;
  },
  "nobody has asked for its publication": (run) => {
    receiptOf(run, key).revision = 3;
    publication(run, 3).liveFrom += 2;
  },
  "the time of the next one has come": (run) => {
    publication(run, 4).liveFrom -= 1;
  },
  "it is one that another organization has published": (run) => {
    publication(run, 2).organizationId = "018f0000-0000-7000-8000-000000000009";
  },
  "it is another text than the one that was asked for": (run) => {
    receiptOf(run, key).versionId = "018f0000-0000-7000-8000-000000000009";
    for (const operation of run.operations) if (operation.key === key) operation.key = "changing-1";
  },
  "the next one was published before it was asked for": (run) => {
    publication(run, 3).toldAt = -1;
  },
});

expectViolations("a session pins a live text", {
  "the time of the next one had come": (run) => {
    session(run).revision = 1;
  },
  "it was not live yet": (run) => {
    session(run).revision = 3;
  },
  "the next one was published before it was opened": (run) => {
    publication(run, 3).toldAt = 4;
  },
});

expectViolations("an acceptance names what was pinned", {
  "it is the text that has become live": (run) => {
    receiptOf(run, "session").revision = 3;
  },
  "it is another text": (run) => {
    receiptOf(run, "session").versionId = "018f0000-0000-7000-8000-000000000009";
  },
  "it is the same text without the session": (run) => {
    receiptOf(run, "session").sessionId = "018f0000-0000-7000-8000-000000000009";
  },
});
