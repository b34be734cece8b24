import type { Evidence as Bundle } from "#api/evidence.ts";
import type { Evidence } from "./evidence.ts";
import { type AnchorProof, type EvidencedRecord, mainRecord } from "./evidence-integrity.ts";

/** A bundle's description of itself: how it was created, what it proves and what it does not. */
export function statementObject(evidence: Evidence, disclosed: boolean): Bundle["statement"] {
  const { acceptances, integrity } = evidence;
  const assertedBy = acceptances.at(-1)?.receipt.assertedBy ?? null;
  const main = mainRecord(integrity);
  if (main === undefined) return { process: noRecord, assertedBy, proves: [], limitations: [] };
  return {
    process: acceptances.length === 0 ? `${noRecord} ${completionProcess}` : acceptanceProcess,
    assertedBy,
    proves: [...signed(main), ...logged(main), ...anchored(integrity.anchor)],
    limitations: [
      ...(assertedBy === null ? [] : assertedActs(assertedBy)),
      keyLimits,
      ...open(main, integrity.anchor),
      ...hidden(evidence, disclosed),
    ],
  };
}

const noRecord = "No acceptance was recorded for this session.";

const acceptanceProcess =
  "The text and the terms in force were stored before the session or acceptance that refers to them. The decision was checked against the policy and written in one database transaction together with the change of its session; acceptedAt is the time of that check by the clock of the service. In the same transaction the leaf was added to the append-only log of the organization (RFC 6962): it names the text, the terms and the decision, and commits to what is personal by salted digests (RFC 9901). The leaf had been signed before (Ed25519). Leaves and receipts are kept as they were first written.";

const completionProcess =
  "That it was completed was written in one database transaction together with a signed leaf in the append-only log of the organization (RFC 6962), which names the text, the terms and the outcome, and commits to what is personal by salted digests (RFC 9901). completedAt is the clock of the service.";

const signed = ({ kind }: EvidencedRecord): string[] => [
  kind === "click.session.completed"
    ? "That this text, these terms and this outcome are those of the signed record."
    : "That this text, these terms, this decision and every value that is disclosed are those of the signed record.",
];

const logged = ({ leafIndex, proof }: EvidencedRecord): string[] =>
  proof === null
    ? []
    : [
        `That the record stands at index ${leafIndex} of a log whose checkpoint at ${proof.treeSize} records is signed. It cannot be changed, moved or left out without contradicting that checkpoint.`,
      ];

function anchored(anchor: AnchorProof | null): string[] {
  if (anchor === null) return [];
  const inLog = "That this checkpoint was entered in the anchor log, which holds the checkpoints of all organizations.";
  if (anchor.token === null) return [inLog];
  return [
    inLog,
    `That all of this existed at the time which the time-stamping authority ${anchor.tsaName ?? ""} confirms (RFC 3161): the record cannot have been made later and dated back.`,
  ];
}

const assertedActs = (assertedBy: string): string[] => [
  `Who acted is not proven: that the act was the user's own is asserted by the party that sent the acceptance (assertedBy: ${assertedBy}). No cryptography finds out a sender that lies about it. What speaks for the sender is the render token, the times that the service measured itself, the events of the page and how the user was verified, as far as the bundle has them.`,
  "Checks and entries of the timeline with the source CLIENT rest on what the sender or the page says about the presentation; those with the source SERVER on what the service saw itself.",
  "What a screen really displayed is not proven: the bundle holds what was handed out to be displayed.",
];

const keyLimits =
  "Whoever had stolen a signing key could sign with it. Keys are therefore replaced, and published with the times between which their signatures are good; what a revoked key signed counts only when a time stamp proves it to be older than the revocation.";

function open({ proof, integrateBy }: EvidencedRecord, anchor: AnchorProof | null): string[] {
  if (proof === null) {
    return [
      `No published checkpoint covered the record when this bundle was made. It was promised by ${integrateBy.toISOString()}: fetch the bundle again after that.`,
    ];
  }
  if (anchor === null || !anchor.isComplete) {
    return [
      "The checkpoint is not anchored and stamped yet, so nothing outside the installation confirms the time: fetch the bundle again later.",
    ];
  }
  if (anchor.token !== null) return [];
  return [
    "No outside time-stamping authority confirms the time. Who keeps checkpoints of the anchor log can confirm that nothing was rewritten since.",
  ];
}

function hidden({ acceptances, session }: Evidence, disclosed: boolean): string[] {
  const { erased, restricted } = acceptances.at(-1)?.receipt ?? session;
  if (erased) {
    return [
      "What is personal was erased with the keys that it was sealed with. The digests in the record remain; no one can tell any more what they stand for, unless someone kept the disclosures.",
    ];
  }
  if (!disclosed) return ["What is personal was left out on request. The digests in the record stand for it."];
  const isShown = acceptances.at(-1)?.evidence != null;
  return restricted && !isShown ? ["What is personal is restricted (GDPR art. 18): administrators may open it."] : [];
}
