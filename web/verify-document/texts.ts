/** What the page says, in one language. */
export interface Texts {
  readonly title: string;
  readonly intro: string;
  readonly hint: string;
  readonly choose: string;
  readonly certificates: string;
  readonly busy: string;
  readonly insecure: string;
  readonly tooLarge: string;
  readonly away: string;
  readonly verdicts: Readonly<Record<VerdictKind, readonly [title: string, meaning: string]>>;
  readonly addedBytes: (count: number, isKnown: boolean) => string;
  readonly auditBroken: string;
  readonly facts: Readonly<
    Record<"document" | "subject" | "sender" | "completed" | "deleted" | "agreement" | "evidence" | "sha256", string>
  >;
  readonly certificateOf: string;
  readonly signers: string;
  readonly columns: readonly [name: string, role: string, status: string];
  readonly roles: Readonly<Record<string, string>>;
  readonly statuses: Readonly<Record<string, string>>;
  readonly signatures: string;
  readonly ours: string;
  readonly others: string;
}

/** What can be said of a file. */
export type VerdictKind = "sealed" | "deleted" | "unknown" | "added" | "changed" | "foreign" | "none";

const en: Texts = {
  title: "Check a document",
  intro:
    "Find out whether a PDF was sealed here and is unchanged, and who has signed it. The file stays on this device: only its fingerprint (SHA-256) is sent.",
  hint: "Drop a PDF anywhere on this page, or choose it.",
  choose: "Choose a PDF",
  certificates: "The certificates that documents are sealed with",
  busy: "Checking…",
  insecure: "This page works over https only.",
  tooLarge: "The file is too large to have been sealed here.",
  away: "The check could not be made. Try again in a moment.",
  verdicts: {
    sealed: ["Sealed here and unchanged", "This is exactly the file that was sealed when everyone had signed."],
    deleted: [
      "Sealed here and unchanged; deleted since",
      "This is exactly a file that was sealed here when everyone had signed. The sender has deleted the agreement since, because the time for which it was kept was over.",
    ],
    unknown: [
      "A seal of ours, but not on record",
      "The signature was made with our key, but no file that was sealed here is this one byte for byte. Ask the sender before you rely on what it shows.",
    ],
    added: [
      "Something was added after it was sealed",
      "The sealed part is unchanged, but what you see may have been added: text, pages, remarks and values of fields can be replaced that way. Do not rely on this copy.",
    ],
    changed: [
      "Changed after it was sealed",
      "The file carries our seal, which does not fit its content. Do not rely on it.",
    ],
    foreign: ["Not sealed here", "The file has signatures of others, which this page does not judge."],
    none: ["Not sealed here", "The file has no seal. It may never have been signed, or is another copy."],
  },
  addedBytes: (count, isKnown) =>
    `${count.toLocaleString("en")} bytes follow the sealed part. ${isKnown ? "That part is exactly the document below; ask the sender for it." : "That part is not on record here."}`,
  auditBroken: "The audit trail of the agreement is damaged. Ask the sender.",
  facts: {
    document: "Document",
    subject: "Subject",
    sender: "Sent by",
    completed: "Completed",
    deleted: "Deleted",
    agreement: "Agreement",
    evidence: "Entry in the sender’s evidence log",
    sha256: "SHA-256",
  },
  certificateOf: "Certificate of completion",
  signers: "Who has signed",
  columns: ["Name", "Role", "What and when"],
  roles: {
    signer: "Signer",
    approver: "Approver",
    certifiedDelivery: "Certified delivery",
    inPersonSigner: "In-person signer",
  },
  statuses: {
    created: "Waiting",
    sent: "Sent",
    delivered: "Opened",
    completed: "Completed",
    declined: "Declined",
  },
  signatures: "Signatures in the file",
  ours: "our seal",
  others: "someone else's",
};

const de: Texts = {
  title: "Dokument prüfen",
  intro:
    "Hier sehen Sie, ob ein PDF hier versiegelt wurde und unverändert ist, und wer es unterzeichnet hat. Die Datei bleibt auf diesem Gerät: Nur ihr Fingerabdruck (SHA-256) wird gesendet.",
  hint: "Ziehen Sie ein PDF auf diese Seite, oder wählen Sie es aus.",
  choose: "PDF auswählen",
  certificates: "Die Zertifikate, mit denen Dokumente versiegelt werden",
  busy: "Wird geprüft…",
  insecure: "Diese Seite funktioniert nur über https.",
  tooLarge: "Die Datei ist zu groß, um hier versiegelt worden zu sein.",
  away: "Die Prüfung war nicht möglich. Versuchen Sie es gleich noch einmal.",
  verdicts: {
    sealed: ["Hier versiegelt und unverändert", "Genau diese Datei wurde versiegelt, als alle unterzeichnet hatten."],
    deleted: [
      "Hier versiegelt und unverändert; inzwischen gelöscht",
      "Genau diese Datei wurde hier versiegelt, als alle unterzeichnet hatten. Der Absender hat die Vereinbarung seither gelöscht, weil ihre Aufbewahrungsfrist abgelaufen war.",
    ],
    unknown: [
      "Ein Siegel von uns, aber nicht verzeichnet",
      "Die Signatur wurde mit unserem Schlüssel erstellt, aber keine hier versiegelte Datei gleicht dieser Byte für Byte. Fragen Sie den Absender, bevor Sie sich auf den Inhalt verlassen.",
    ],
    added: [
      "Nach dem Versiegeln wurde etwas hinzugefügt",
      "Der versiegelte Teil ist unverändert, aber was Sie sehen, kann hinzugefügt sein: Text, Seiten, Anmerkungen und Werte von Feldern lassen sich so ersetzen. Verlassen Sie sich nicht auf diese Fassung.",
    ],
    changed: [
      "Nach dem Versiegeln verändert",
      "Die Datei trägt unser Siegel, das nicht zu ihrem Inhalt passt. Verlassen Sie sich nicht auf sie.",
    ],
    foreign: ["Nicht hier versiegelt", "Die Datei hat Signaturen anderer, die diese Seite nicht beurteilt."],
    none: [
      "Nicht hier versiegelt",
      "Die Datei hat kein Siegel. Vielleicht wurde sie nie unterzeichnet, oder sie ist eine andere Fassung.",
    ],
  },
  addedBytes: (count, isKnown) =>
    `${count.toLocaleString("de")} Bytes folgen auf den versiegelten Teil. ${isKnown ? "Dieser Teil ist genau das unten genannte Dokument; lassen Sie es sich vom Absender geben." : "Dieser Teil ist hier nicht verzeichnet."}`,
  auditBroken: "Das Protokoll der Vereinbarung ist beschädigt. Fragen Sie beim Absender nach.",
  facts: {
    document: "Dokument",
    subject: "Betreff",
    sender: "Gesendet von",
    completed: "Abgeschlossen",
    deleted: "Gelöscht",
    agreement: "Vereinbarung",
    evidence: "Eintrag im Beweisprotokoll des Absenders",
    sha256: "SHA-256",
  },
  certificateOf: "Abschlusszertifikat",
  signers: "Wer unterzeichnet hat",
  columns: ["Name", "Rolle", "Was und wann"],
  roles: {
    signer: "Unterzeichner",
    approver: "Genehmiger",
    certifiedDelivery: "Zustellung mit Nachweis",
    inPersonSigner: "Unterzeichner vor Ort",
  },
  statuses: {
    created: "Wartet",
    sent: "Gesendet",
    delivered: "Geöffnet",
    completed: "Abgeschlossen",
    declined: "Abgelehnt",
  },
  signatures: "Signaturen in der Datei",
  ours: "unser Siegel",
  others: "von jemand anderem",
};

const languages: ReadonlyMap<string, Texts> = new Map([
  ["en", en],
  ["de", de],
]);

/** The first language of the person that we speak; else English. */
export function chooseTexts(wanted: readonly string[]): { readonly language: string; readonly texts: Texts } {
  const language = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => languages.has(tag)) ?? "en";
  return { language, texts: languages.get(language) ?? en };
}
