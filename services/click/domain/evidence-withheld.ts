import type { Evidence, EvidencedAcceptance } from "./evidence.ts";
import { type EvidencedShowing, loggedFacts } from "./evidence-shown.ts";
import { withheldReceipt } from "./receipt-answer.ts";
import type { SessionView } from "./session-view.ts";
import type { ShownFacts } from "./shown.ts";
import type { Terms } from "./terms.ts";

/** The same evidence without anything personal; what proves the rest still does. */
export function withholdPersonal(evidence: Evidence): Evidence {
  const { session, acceptances, terms, showing, aftermath, integrity } = evidence;
  return {
    ...evidence,
    session: withheldSession(session),
    reason: null,
    sessionContext: null,
    acceptances: acceptances.map((one) => withheldAcceptance(one, terms)),
    showing: withheldShowing(showing, terms, acceptances.at(-1)),
    events: [],
    aftermath: { ...aftermath, consents: [], endings: [], later: [] },
    integrity: {
      ...integrity,
      records: integrity.records.map((record) => ({ ...record, disclosures: [] })),
      // There is no token left that it could verify.
      keys: integrity.keys.filter(({ purpose }) => purpose !== "render"),
    },
  };
}

const isPersonalized = ({ type }: Pick<Terms, "type">): boolean => type === "GENERATED";

const withheldSession = (session: SessionView): SessionView => ({
  ...session,
  userRef: null,
  metadata: {},
  returnUrl: null,
  data: null,
  renderHash: isPersonalized({ type: session.templateType }) ? null : session.renderHash,
});

function withheldAcceptance({ receipt, leaf, checks }: EvidencedAcceptance, terms: Terms): EvidencedAcceptance {
  const { erased, restricted, log, signature } = receipt;
  return {
    receipt: { ...withheldReceipt(leaf, terms), erased, restricted, log, signature },
    leaf,
    evidence: null,
    // That the flags were satisfied may be known; what satisfied them is personal.
    checks: checks.map((check) => ({ ...check, observed: null })),
  };
}

function withheldShowing(
  { facts, contents }: EvidencedShowing,
  terms: Terms,
  last: EvidencedAcceptance | undefined,
): EvidencedShowing {
  const known = last === undefined ? withheldFacts(facts, terms) : loggedFacts(last.leaf);
  const personal = isPersonalized(terms) ? facts?.renderHash : undefined;
  return { facts: known, contents: new Map([...contents].filter(([hash]) => hash !== personal)), key: null };
}

const withheldFacts = (facts: ShownFacts | null, terms: Terms): ShownFacts | null =>
  facts && { ...facts, renderToken: null, data: null, renderHash: isPersonalized(terms) ? null : facts.renderHash };
