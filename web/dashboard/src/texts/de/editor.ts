import type { Texts } from "../texts.tsx";

type EditorTexts = Texts["editor"];

const flags: EditorTexts["flags"] = new Map([
  [
    "requireCheckbox",
    {
      label: "Kästchen verlangen",
      hint: "Nutzer kreuzen vor der Zustimmung ein Kästchen an. Bei Einwilligungen immer aktiv.",
    },
  ],
  [
    "requireScroll",
    { label: "Scrollen bis zum Ende verlangen", hint: "Das Ende des Textes muss sichtbar gewesen sein." },
  ],
  [
    "requireView",
    { label: "Öffnen der Dokumente verlangen", hint: "Ein Dokument oder Link des Textes muss geöffnet worden sein." },
  ],
  [
    "minDisplaySeconds",
    {
      label: "Mindestanzeigedauer in Sekunden",
      hint: "Vom Server gemessen; braucht das Render-Token oder eine Sitzung. 0: keine Mindestdauer.",
    },
  ],
  [
    "requireRenderToken",
    {
      label: "Nachweis der Anzeige verlangen",
      hint: "Zustimmungen müssen das signierte Token des angezeigten Textes enthalten.",
    },
  ],
  [
    "esignDisclosure",
    {
      label: "Hinweis zu elektronischen Dokumenten",
      hint: "Wird vor dem Text gezeigt. Zustimmungen zählen nur, wenn er sichtbar war.",
    },
  ],
  ["allowDecline", { label: "Ablehnen erlauben", hint: "Zeigt eine Schaltfläche zum Ablehnen." }],
  [
    "recordDecline",
    {
      label: "Ablehnungen aufzeichnen",
      hint: "Auch Ablehnungen erhalten einen Beleg. Erfordert „Ablehnen erlauben“.",
    },
  ],
  ["requireTypedName", { label: "Eingabe des Namens verlangen", hint: "Nutzer geben zur Zustimmung ihren Namen ein." }],
  [
    "requireAuthenticatedUser",
    { label: "Anmeldung verlangen", hint: "Ihr System muss bestätigen, dass der Nutzer dort angemeldet war." },
  ],
  ["minAge", { label: "Mindestalter", hint: "Nutzer bestätigen, mindestens so alt zu sein. 0: kein Mindestalter." }],
  [
    "verificationMethods",
    { label: "Verifizierungsmethoden", hint: "Wie Zustimmungen belegen müssen, wer der Nutzer ist." },
  ],
  ["verificationMode", { label: "Erforderliche Methoden", hint: "Alle oder eine beliebige." }],
  ["requireReacceptance", { label: "Erneut fragen", hint: "Wann eine frühere Zustimmung nicht mehr zählt." }],
  ["reacceptIntervalDays", { label: "Tage bis zur erneuten Frage", hint: "0: Zustimmungen laufen nie ab." }],
  [
    "showChanges",
    {
      label: "Änderungen anzeigen",
      hint: "Nutzer, die einem früheren Text zugestimmt haben, sehen, was sich seitdem geändert hat.",
    },
  ],
  [
    "oneAcceptancePerRevision",
    {
      label: "Eine Zustimmung pro Text",
      hint: "Eine zweite Zustimmung desselben Nutzers zum selben Text wird abgewiesen.",
    },
  ],
  ["consentExpiresAfterDays", { label: "Tage bis zum Ablauf der Einwilligung", hint: "0: gültig bis zum Widerruf." }],
  [
    "honorGpc",
    {
      label: "Global Privacy Control beachten",
      hint: "Sendet ein Browser dieses Signal, werden Zwecke verweigert, die Daten verkaufen oder teilen.",
    },
  ],
  [
    "allowDirectAccept",
    {
      label: "Zustimmungen ohne Sitzung erlauben",
      hint: "Ihr Server kann Zustimmungen zu einem Text aufzeichnen, den er selbst gezeigt hat.",
    },
  ],
  [
    "singleUseSession",
    { label: "Sitzungen zur einmaligen Verwendung", hint: "Eine Sitzung endet nach einer Entscheidung." },
  ],
  [
    "sessionTtlSeconds",
    { label: "Gültigkeit einer Sitzung in Sekunden", hint: "Von 60 Sekunden bis 30 Tage (2592000)." },
  ],
  ["captureIp", { label: "IP-Adresse aufzeichnen", hint: "Gekürzt: ohne den letzten Teil." }],
  ["captureUserAgent", { label: "Browser aufzeichnen", hint: "Gekürzt: nur die Browserfamilie." }],
  ["captureReferrer", { label: "Referrer aufzeichnen", hint: "Gekürzt: nur der Origin." }],
  [
    "requireSnapshot",
    {
      label: "Screenshot verlangen",
      hint: "Einsatzorte lassen sich nur mit einem ihrer Screenshots aktivieren oder mit Ihrer ID eines Bildes, das Sie anderswo aufbewahren.",
    },
  ],
  [
    "sendCopyToUser",
    {
      label: "Nutzern eine Kopie senden",
      hint: "Nutzer erhalten Text und Beleg einmal per E-Mail, an die Adresse, die Ihr System mit der Zustimmung sendet.",
    },
  ],
  [
    "retentionDays",
    {
      label: "Aufbewahrung in Tagen",
      hint: "Wird ein Nutzer gelöscht, bleiben Einträge so lange eingeschränkt erhalten. 0: nichts wird aufbewahrt.",
    },
  ],
  ["legalHold", { label: "Löschsperre", hint: "Solange sie aktiv ist, kann niemand gelöscht werden." }],
]);

const choices: EditorTexts["choices"] = new Map([
  ["ALL", "Alle"],
  ["ANY", "Eine beliebige"],
  ["ON_MAJOR", "Wenn eine neue Version es verlangt"],
  ["ALWAYS", "Bei jeder neuen Version"],
  ["NEVER", "Nie"],
  ["FULL", "Vollständig"],
  ["TRUNCATED", "Gekürzt"],
  ["NONE", "Gar nicht"],
  ["CUSTOMER_ATTESTED", "Ihr System bürgt für den Nutzer"],
  ["CUSTOMER_SESSION", "An Ihrem System angemeldet"],
  ["TYPED_NAME", "Name eingegeben"],
  ["AGE_STATEMENT", "Alter angegeben"],
]);

const messages: EditorTexts["messages"] = new Map([
  ["CONTENT_EMPTY", "Der Text ist leer."],
  ["CONTENT_TOO_LARGE", "Der Text ist größer als 1 MiB."],
  ["CONTENT_NOT_NFC", "Manche Zeichen sind nicht in der üblichen Unicode-Form (NFC) geschrieben."],
  ["CONTENT_CONTROL_CHARACTER", "Hier steht ein unsichtbares oder verbotenes Zeichen."],
  ["CONTENT_ELEMENT_FORBIDDEN", "Dieses Element ist nicht erlaubt."],
  ["CONTENT_ATTRIBUTE_FORBIDDEN", "Dieses Attribut ist nicht erlaubt."],
  ["CONTENT_URL_FORBIDDEN", "Diese Adresse ist nicht erlaubt: nur https:, mailto:, tel: und #…"],
  ["CONTENT_REMOTE_RESOURCE", "Nichts darf von anderswo geladen werden; Bilder müssen als data: im Text stehen."],
  ["CONTENT_COMMENT_FORBIDDEN", "Kommentare sind nicht erlaubt."],
  ["CONTENT_MALFORMED_HTML", "Das HTML ist fehlerhaft."],
  ["CONTENT_MALFORMED_PDF", "Das ist kein Inhalt eines hochgeladenen PDF."],
  ["CONTENT_PDF_NOT_ALLOWED", "In ein PDF können keine Werte eingesetzt werden."],
  ["CONTENT_PLACEHOLDER_NOT_ALLOWED", "Nur Vorlagen mit Feldern dürfen Platzhalter enthalten."],
  [
    "CONTENT_PLACEHOLDER_INVALID",
    "Der Platzhalter ist fehlerhaft oder steht an einer falschen Stelle; richtig ist {{schlüssel}} im Text.",
  ],
  ["CONTENT_PLACEHOLDER_UNKNOWN", "Dieses Feld ist weder vordefiniert noch in der Konfiguration der Vorlage genannt."],
  ["CONTENT_VARIABLE_UNUSED", "Ein Pflichtfeld der Vorlage kommt im Text nicht vor."],
  ["CONTENT_NO_PLACEHOLDER", "Der Text hat keinen Platzhalter und ist für alle gleich; dafür ist der Typ STATIC da."],
  ["CONSENT_PRECHECKED", "Kein Kästchen darf schon angekreuzt sein."],
  ["CONSENT_BUNDLED", "Eine Einwilligung darf nicht mit etwas anderem verbunden sein."],
  ["CONSENT_WITHDRAWAL_MISSING", "Es fehlt, wie die Einwilligung widerrufen wird."],
  ["CONSENT_CONTROLLER_MISSING", "Es fehlt, wer für die Daten verantwortlich ist."],
  ["CONSENT_PURPOSES_MISSING", "Es fehlen die Zwecke."],
  ["NOTICE_BUTTON_MISMATCH", "Der Hinweis nennt eine andere Schaltfläche als die angezeigte."],
  ["A11Y_LANGUAGE_INVALID", "Das ist kein gültiges Sprachkürzel."],
  ["A11Y_LANGUAGE_MISMATCH", "Das Sprachkürzel passt nicht zur Sprache des Textes."],
  ["A11Y_HEADING_ORDER", "Eine Überschriftenebene wurde übersprungen."],
  ["A11Y_LINK_TEXT", "Der Text dieses Links sagt nicht, wohin er führt."],
  ["CONTENT_TOO_MANY_ERRORS", "Es gibt noch mehr Fehler, die nicht genannt sind."],
]);

const counted = (count: number, one: string, many: string, locale: string): string =>
  `${new Intl.NumberFormat(locale).format(count)} ${count === 1 ? one : many}`;

export const editor: EditorTexts = {
  languages: "Sprachen",
  addLanguage: "Sprache hinzufügen",
  languageTag: "Sprache",
  languageHelp: "Ein Sprachkürzel wie de, fr-CA oder pt-BR.",
  languageWrong: "Kein gültiges Sprachkürzel. Verwenden Sie zum Beispiel de, fr-CA oder pt-BR.",
  languageKnown: "Die Vorlage hat diese Sprache schon.",
  notYet: "Noch nicht geschrieben",
  versionState: (status, label) =>
    ({ DRAFT: "Entwurf", PUBLISHED: `Veröffentlicht ${label ?? ""}`, ARCHIVED: "Archiviert" })[status],

  title: "Text",
  textTitle: "Titel",
  textLabel: "Text der Zustimmung",
  format: "Format",
  formats: [
    { id: "html", label: "HTML" },
    { id: "markdown", label: "Markdown" },
    { id: "text", label: "Reiner Text" },
    { id: "pdf", label: "PDF" },
  ],
  pdf: {
    upload: "Stattdessen ein PDF hochladen",
    replace: "PDF ersetzen",
    uploadHelp:
      "Bis zu 5 MiB und 200 Seiten, mit auswählbarem Text. Nutzer sehen die Seiten; Screenreader lesen den Text aus der Datei.",
    none: "Noch kein PDF.",
    spoken: "Text für Screenreader",
    page: (page: number): string => `Seite ${page}`,
  },
  emptyHelp:
    "Schreiben Sie Ihren Text oder fügen Sie ihn ein. HTML darf Überschriften, Absätze, Listen, Tabellen, Hervorhebungen und Links enthalten, aber keine Skripte, Stile oder Formulare.",
  save: "Speichern",
  discard: "Änderungen verwerfen",
  unsaved: "Sie haben nicht gespeicherte Änderungen.",
  savedState: "Alle Änderungen gespeichert.",
  draftNote: "Nutzer sehen diesen Entwurf noch nicht.",
  restored:
    "Ihre nicht gespeicherten Änderungen wurden wiederhergestellt. Speichern Sie sie, oder verwerfen Sie sie, um zum gespeicherten Text zurückzukehren.",
  fromArchived:
    "Die letzte Version in dieser Sprache ist archiviert. Beim Speichern entsteht ein neuer Entwurf aus ihrem Text.",
  liveNote: (label) =>
    `Version ${label} ist live. Sie bearbeiten den nächsten Entwurf: Nutzer sehen Version ${label}, bis Sie ihn veröffentlichen.`,
  nextNote: (label) => `Das ist der nächste Entwurf. Nutzer sehen Version ${label}, bis Sie ihn veröffentlichen.`,
  draftSaved: "Zuletzt gespeichert:",
  draftBadge: "Nächster Entwurf",
  scheduledBadge: "Geplant",
  scheduledNote: "Dieser Text ist gesperrt bis zur geplanten Veröffentlichung am",
  scheduledWay: "Um ihn zu bearbeiten, brechen Sie die Veröffentlichung ab",
  discardDraft: "Entwurf verwerfen",
  discardDraftTitle: "Entwurf verwerfen?",
  discardDraftText:
    "Alles seit der letzten Veröffentlichung Geschriebene wird gelöscht. Der veröffentlichte Text bleibt unverändert.",
  leftDraft:
    "Diese Version wurde zurückgezogen, während ein nächster Entwurf in Arbeit war. Er bleibt erhalten; von hier wird veröffentlicht, was Sie hier sehen.",
  takeDraft: "Mit dem Entwurf fortfahren",
  conflictTitle: "Jemand anderes hat diesen Text gespeichert",
  conflictText: "Ihr Text ist noch da, aber nicht gespeichert. Der andere wurde gespeichert am",
  theirText: "Anderen Text anzeigen",
  keepMine: "Meinen Text behalten",
  takeTheirs: "Anderen Text verwenden",
  leaveTitle: "Ohne Speichern verlassen?",
  leaveText: "Ihre nicht gespeicherten Änderungen gehen verloren.",
  leaveAction: "Ohne Speichern verlassen",

  findingsHere: "Probleme sind unterstrichen. F8 führt zum nächsten.",
  visual: {
    view: "Ansicht",
    visual: "Visuell",
    source: "Quelltext",
    refusals: {
      ERRORS:
        "Der Text hat Fehler und wird deshalb als Quelltext angezeigt. Beheben Sie sie und wählen Sie dann wieder „Visuell“.",
      FORM: "Der Text enthält Markup, das der visuelle Editor ändern würde, und wird deshalb als Quelltext angezeigt.",
    },
    pasteTooLarge:
      "Das ist zu viel zum Einfügen. Ein Text darf samt Formatierung 1 MB groß sein. Nichts wurde geändert.",
    tooLarge: "Der Text ist größer als 1 MB und kann nicht gespeichert werden. Kürzen Sie ihn.",
    toolbar: "Formatierung",
    kind: "Absatzformat",
    kinds: {
      p: "Absatz",
      h1: "Überschrift 1",
      h2: "Überschrift 2",
      h3: "Überschrift 3",
      h4: "Überschrift 4",
      h5: "Überschrift 5",
      h6: "Überschrift 6",
      pre: "Vorformatiert",
      other: "Anderes",
    },
    actions: {
      bold: "Fett",
      italic: "Kursiv",
      underline: "Unterstrichen",
      strike: "Durchgestrichen",
      code: "Code",
      link: "Link",
      bullets: "Aufzählung",
      numbers: "Nummerierte Liste",
      outdent: "Einzug verkleinern",
      indent: "Einzug vergrößern",
      quote: "Zitat",
      clear: "Formatierung entfernen",
      table: "Tabelle einfügen",
      field: "Platzhalter einfügen",
      undo: "Rückgängig",
      redo: "Wiederholen",
      addRow: "Zeile darunter einfügen",
      addColumn: "Spalte danach einfügen",
      headerRow: "Kopfzeile",
      deleteRow: "Zeile löschen",
      deleteColumn: "Spalte löschen",
      deleteTable: "Tabelle löschen",
    } as Readonly<Record<string, string>>,
    linkTitle: "Link",
    linkSet: "Übernehmen",
    linkAddress: "URL",
    linkHint: "Eine Webadresse, eine E-Mail-Adresse oder # und eine ID in diesem Text.",
    linkHintOld: "Leer lassen, um den Link zu entfernen.",
    linkWords: "Linktext",
    linkWrong: "Links können Webadressen (https), E-Mail-Adressen oder Telefonnummern sein.",
    fieldLabel: "Platzhalter",
    fieldSet: "Einfügen",
  },

  findings: "Probleme",
  found: (errors, warnings, locale) =>
    errors + warnings === 0
      ? "Keine Probleme gefunden."
      : `${counted(errors, "Fehler", "Fehler", locale)}, ${counted(warnings, "Warnung", "Warnungen", locale)}${errors > 0 ? ". Sie können den Text speichern, aber nicht veröffentlichen." : "."}`,
  severities: { ERROR: "Fehler", WARNING: "Warnung" },
  place: (line, column) => `Zeile ${line}, Spalte ${column}`,
  messages,

  words: "Beschriftungen",
  wordsIntro: "Leere Beschriftungen verwenden die Vorgaben der Sprache.",
  wordLabels: {
    consentText: "Hinweis über den Schaltflächen",
    buttonText: "Schaltfläche „Zustimmen“",
    declineText: "Schaltfläche „Ablehnen“",
    checkboxText: "Beschriftung des Kästchens",
    linkText: "Linktext",
  },
  purpose: "Beschriftung des Zwecks",

  preview: "Vorschau",
  previewIntro: "Was Ihre Nutzer sehen werden. Aktualisiert sich beim Schreiben.",
  previewEmpty: "Noch nichts zu sehen.",
  previewInvalid: "Beheben Sie die Fehler im Text, um eine Vorschau zu sehen.",
  liveIntro: (label) => `Version ${label}, wie Nutzer sie jetzt sehen.`,
  showLive: "Veröffentlichte Version anzeigen",
  phoneWidth: "Smartphone-Breite",
  nothingRecorded: "Das ist eine Vorschau. Nichts wurde aufgezeichnet.",
  samples: "Beispielwerte",

  verification: "Identitätsprüfung",
  verificationIntro: "Was Zustimmungen aufgrund der Regeln enthalten müssen.",
  noVerification: "Keine Verifizierung erforderlich.",
  oneIsEnough: "Eine der Alternativen genügt.",
  alternative: "Alternative",
  fromAge: (age) => `ab ${age} Jahren`,
  policyHash: "Hash der Regeln",
  changed: "Geändert",

  policy: "Regeln",
  policyIntro:
    "Werden bei jeder Zustimmung durchgesetzt. Einsatzorte können strenger sein, aber nie weniger streng. Belege nennen die geltenden Regeln.",
  groups: {
    reading: "Lesen und entscheiden",
    person: "Identität",
    again: "Erneut fragen",
    sessions: "Sitzungen",
    records: "Nachweis und Aufbewahrung",
  },
  savePolicy: "Regeln speichern",
  nothingChanged: "Gespeichert.",
  usual: (value) => `Standard: ${value}.`,
  on: "an",
  off: "aus",
  none: "keine",
  flags,
  choices,

  configuration: "Konfiguration",
  configurationIntro: {
    STATIC: "Dokumente, die zum Text gehören, und wie er angezeigt werden soll.",
    GENERATED: "Die Platzhalter des Textes. Ohne Angabe gibt es fullName, email, company, title und date.",
    CONSENT: "Wer für die Daten verantwortlich ist, und die Zwecke, über die Nutzer einzeln entscheiden.",
  },
  changeConfiguration: "Konfiguration bearbeiten",
  configurationHelp: {
    STATIC:
      "documents: je mit name, url, contentHash, order und mustRead. displayMode: INLINE, MODAL, LINK oder FULL_PAGE. downloadable: true oder false.",
    GENERATED:
      "variables: je mit key, label, type (STRING, NUMBER, DATE, BOOLEAN, ENUM), required, default und mehr. missing: ERROR oder EMPTY, für Platzhalter ohne Wert.",
    CONSENT:
      "controller mit name, address, email und url; jurisdiction; privacyNoticeUrl; withdrawalMethod; purposes: je mit key, name, description, required, legalBasis und mehr.",
  },
  json: "Konfiguration als JSON",
  jsonWrong: "Kein gültiges JSON-Objekt.",
};
