import type { Texts } from "../texts.tsx";

type EditorTexts = Texts["editor"];

const flags: EditorTexts["flags"] = new Map([
  [
    "requireCheckbox",
    {
      label: "Kästchen muss angekreuzt werden",
      hint: "Wer zustimmt, kreuzt vorher ein Kästchen an. Einwilligungen brauchen das immer.",
    },
  ],
  [
    "requireScroll",
    { label: "Bis zum Ende gelesen", hint: "Das Ende des Textes muss auf dem Bildschirm gewesen sein." },
  ],
  ["requireView", { label: "Dokument geöffnet", hint: "Ein Dokument oder Link des Textes muss geöffnet worden sein." }],
  [
    "minDisplaySeconds",
    {
      label: "Mindestens … Sekunden angezeigt",
      hint: "Nach der Uhr des Servers; braucht das Render-Token oder eine Sitzung. 0: keine Mindestzeit.",
    },
  ],
  [
    "requireRenderToken",
    {
      label: "Nachweis, dass der Text gezeigt wurde",
      hint: "Eine Zustimmung muss das signierte Token der gezeigten Darstellung enthalten.",
    },
  ],
  [
    "esignDisclosure",
    {
      label: "Hinweis zu elektronischen Dokumenten",
      hint: "Er wird vor dem Text gezeigt, und eine Zustimmung zählt nur, wenn er auf dem Bildschirm war.",
    },
  ],
  ["allowDecline", { label: "Ablehnen ist möglich", hint: "Ein zweiter Knopf lehnt ab." }],
  [
    "recordDecline",
    {
      label: "Ablehnungen werden festgehalten",
      hint: "Auch eine Ablehnung bekommt einen Beleg. Ohne „Ablehnen ist möglich“ ohne Wirkung.",
    },
  ],
  ["requireTypedName", { label: "Name eingetippt", hint: "Wer zustimmt, tippt den eigenen Namen ein." }],
  [
    "requireAuthenticatedUser",
    { label: "Bei Ihnen angemeldet", hint: "Ihr System muss bestätigen, dass die Person dort angemeldet war." },
  ],
  ["minAge", { label: "Mindestalter", hint: "Die Person erklärt, so alt zu sein. 0: kein Alter." }],
  [
    "verificationMethods",
    { label: "Wege, die Person zu prüfen", hint: "Was eine Zustimmung darüber sagen muss, wer die Person ist." },
  ],
  ["verificationMode", { label: "Wie viele dieser Wege", hint: "Alle oder einer davon." }],
  ["requireReacceptance", { label: "Erneut zustimmen", hint: "Wann eine frühere Zustimmung nicht mehr zählt." }],
  [
    "reacceptIntervalDays",
    { label: "Nach … Tagen erneut zustimmen", hint: "0: Eine Zustimmung zählt, wie alt sie auch ist." },
  ],
  [
    "showChanges",
    {
      label: "Änderungen werden gezeigt",
      hint: "Wer einem früheren Text zugestimmt hat, sieht in der Sitzung, was sich seither geändert hat.",
    },
  ],
  [
    "oneAcceptancePerRevision",
    { label: "Nur einmal je Text", hint: "Eine zweite Zustimmung derselben Person zum selben Text wird abgelehnt." },
  ],
  [
    "consentExpiresAfterDays",
    { label: "Einwilligung endet nach … Tagen", hint: "0: Sie gilt, bis sie widerrufen wird." },
  ],
  [
    "honorGpc",
    {
      label: "Global Privacy Control wird beachtet",
      hint: "Bei diesem Signal des Browsers werden Zwecke abgelehnt, die Daten verkaufen oder teilen.",
    },
  ],
  [
    "allowDirectAccept",
    {
      label: "Zustimmen ohne Sitzung",
      hint: "Ihr Server darf die Zustimmung zu einem Text festhalten, den er selbst gezeigt hat.",
    },
  ],
  [
    "singleUseSession",
    { label: "Eine Sitzung gilt für eine Entscheidung", hint: "Danach ist die Sitzung geschlossen." },
  ],
  ["sessionTtlSeconds", { label: "Eine Sitzung dauert … Sekunden", hint: "Von 60 Sekunden bis 30 Tage (2592000)." }],
  ["captureIp", { label: "IP-Adresse im Nachweis", hint: "Gekürzt: ohne den letzten Teil." }],
  ["captureUserAgent", { label: "Browser im Nachweis", hint: "Gekürzt: nur die Art des Browsers." }],
  ["captureReferrer", { label: "Herkunftsseite im Nachweis", hint: "Gekürzt: nur die Herkunft (Origin)." }],
  [
    "requireSnapshot",
    {
      label: "Bild der Seite verlangt",
      hint: "Ein Einsatzort wird nur mit einem seiner Bildschirmfotos aktiviert, oder mit Ihrem eigenen Namen eines Bildes, das Sie anderswo aufbewahren.",
    },
  ],
  [
    "sendCopyToUser",
    {
      label: "Die Person erhält eine Kopie",
      hint: "Wer zustimmt, erhält Text und Beleg einmal per E-Mail, an die Adresse, die Ihr System mit der Zustimmung angibt.",
    },
  ],
  [
    "retentionDays",
    {
      label: "… Tage aufbewahrt",
      hint: "Wird eine Person gelöscht, bleiben Nachweise bis dahin verschlossen erhalten. 0: nichts bleibt.",
    },
  ],
  ["legalHold", { label: "Löschsperre", hint: "Solange das an ist, kann niemand gelöscht werden." }],
]);

const choices: EditorTexts["choices"] = new Map([
  ["ALL", "Alle"],
  ["ANY", "Einer genügt"],
  ["ON_MAJOR", "Wenn eine neue Version es verlangt"],
  ["ALWAYS", "Bei jeder neuen Version"],
  ["NEVER", "Nie"],
  ["FULL", "Vollständig"],
  ["TRUNCATED", "Gekürzt"],
  ["NONE", "Gar nicht"],
  ["CUSTOMER_ATTESTED", "Ihr System bürgt für die Person"],
  ["CUSTOMER_SESSION", "An Ihrem System angemeldet"],
  ["TYPED_NAME", "Name eingetippt"],
  ["AGE_STATEMENT", "Alter erklärt"],
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
  ["CONTENT_MALFORMED_PDF", "Das ist kein Inhalt einer hochgeladenen PDF."],
  ["CONTENT_PDF_NOT_ALLOWED", "In eine PDF können keine Werte eingesetzt werden."],
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
  ["NOTICE_BUTTON_MISMATCH", "Der Hinweis nennt einen anderen Knopf als den, der gezeigt wird."],
  ["A11Y_LANGUAGE_INVALID", "Das ist keine gültige Sprachangabe."],
  ["A11Y_LANGUAGE_MISMATCH", "Die Sprachangabe passt nicht zur Sprache des Textes."],
  ["A11Y_HEADING_ORDER", "Eine Überschriftenebene wurde übersprungen."],
  ["A11Y_LINK_TEXT", "Der Text dieses Links sagt nicht, wohin er führt."],
  ["CONTENT_TOO_MANY_ERRORS", "Es gibt noch mehr Fehler, die nicht genannt sind."],
]);

const counted = (count: number, one: string, many: string, locale: string): string =>
  `${new Intl.NumberFormat(locale).format(count)} ${count === 1 ? one : many}`;

export const editor: EditorTexts = {
  languages: "Sprachen des Textes",
  addLanguage: "Sprache hinzufügen",
  languageTag: "Sprache",
  languageHelp: "Ein Sprachkürzel wie de, fr-CA oder pt-BR.",
  languageWrong: "Das ist kein Sprachkürzel. Schreiben Sie eines wie de, fr-CA oder pt-BR.",
  languageKnown: "Die Vorlage hat diese Sprache schon.",
  notYet: "Noch nicht geschrieben",
  versionState: (status, label) =>
    ({ DRAFT: "Entwurf", PUBLISHED: `Veröffentlicht ${label ?? ""}`, ARCHIVED: "Archiviert" })[status],

  title: "Text",
  textTitle: "Titel",
  textLabel: "Text, dem zugestimmt wird",
  format: "Format",
  formats: [
    { id: "html", label: "HTML" },
    { id: "markdown", label: "Markdown" },
    { id: "text", label: "Reiner Text" },
    { id: "pdf", label: "PDF" },
  ],
  pdf: {
    upload: "Stattdessen eine PDF hochladen",
    replace: "Andere PDF hochladen",
    uploadHelp:
      "Höchstens 5 MiB und 200 Seiten, mit Text darin. Gezeigt werden die Seiten; was Screenreader vorlesen, kommt aus der Datei.",
    none: "Es gibt noch keine PDF.",
    spoken: "Was Screenreader vorlesen",
    page: (page: number): string => `Seite ${page}`,
  },
  emptyHelp:
    "Schreiben Sie den Text oder fügen Sie ihn ein. In HTML sind Überschriften, Absätze, Listen, Tabellen, Hervorhebungen und Links erlaubt; Skripte, Stile und Formulare nicht.",
  save: "Speichern",
  discard: "Änderungen verwerfen",
  unsaved: "Es gibt Änderungen, die nicht gespeichert sind.",
  savedState: "Alles ist gespeichert.",
  draftNote: "Diesen Entwurf sieht noch niemand.",
  restored:
    "Ihre ungespeicherten Änderungen sind wiederhergestellt. Speichern Sie sie, oder verwerfen Sie sie und kehren Sie zum Gespeicherten zurück.",
  fromArchived:
    "Die letzte Version in dieser Sprache ist archiviert. Beim Speichern entsteht aus ihrem Text ein neuer Entwurf.",
  liveNote: (label) =>
    `Version ${label} ist veröffentlicht. Was Sie hier schreiben, ist ihr nächster Text: Gezeigt wird weiter Version ${label}, bis Sie ihn veröffentlichen.`,
  nextNote: (label) => `Das ist der nächste Text. Gezeigt wird weiter Version ${label}, bis Sie ihn veröffentlichen.`,
  draftSaved: "Zuletzt gespeichert:",
  draftBadge: "Nächster Text",
  scheduledBadge: "Geplant",
  scheduledNote: "Dieser Text ist geprüft und geschlossen bis zu seiner Veröffentlichung, die geplant ist für den",
  scheduledWay: "Um weiterzuschreiben, sagen Sie die Veröffentlichung ab",
  discardDraft: "Nächsten Text verwerfen",
  discardDraftTitle: "Den nächsten Text verwerfen?",
  discardDraftText:
    "Was seit der letzten Veröffentlichung geschrieben wurde, wird gelöscht. Was veröffentlicht ist, bleibt, wie es ist.",
  leftDraft:
    "Die Version wurde zurückgezogen, während ihr nächster Text geschrieben wurde. Dieser ist noch da; veröffentlicht wird von hier aus, was Sie hier sehen.",
  takeDraft: "Mit dem nächsten Text weiterschreiben",
  conflictTitle: "Jemand anderes hat diesen Text inzwischen gespeichert",
  conflictText: "Ihr Text ist noch hier und nicht gespeichert. Der andere wurde gespeichert am",
  theirText: "Den anderen Text zeigen",
  keepMine: "Meinen Text behalten",
  takeTheirs: "Den anderen Text übernehmen",
  leaveTitle: "Verlassen, ohne zu speichern?",
  leaveText: "Was Sie geändert haben, ist nicht gespeichert und geht verloren.",
  leaveAction: "Ohne Speichern verlassen",

  findingsHere: "Stellen mit einem Befund sind unterstrichen. F8 führt von einer zur nächsten.",
  visual: {
    view: "Darstellung des Textes",
    visual: "Visuell",
    source: "Quelltext",
    refusals: {
      ERRORS:
        "Der Text hat Fehler und wird deshalb als Quelltext gezeigt. Berichtigen Sie sie dort und wählen Sie wieder „Visuell“.",
      FORM: "Der Text hat etwas, das der visuelle Editor ändern würde, und wird deshalb als Quelltext gezeigt.",
    },
    pasteTooLarge:
      "Das ist zu viel zum Einfügen: Ein Text kann mit seinen Formaten 1 MB groß sein. Nichts wurde geändert. Fügen Sie ihn in Teilen ein, oder kürzen Sie ihn vorher.",
    tooLarge: "Der Text ist größer als 1 MB und kann nicht gespeichert werden. Kürzen Sie ihn.",
    toolbar: "Form des Textes",
    kind: "Art des Absatzes",
    kinds: {
      p: "Absatz",
      h1: "Überschrift 1",
      h2: "Überschrift 2",
      h3: "Überschrift 3",
      h4: "Überschrift 4",
      h5: "Überschrift 5",
      h6: "Überschrift 6",
      pre: "Wie getippt",
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
    linkSet: "Link setzen",
    linkAddress: "Adresse",
    linkHint: "Eine Web-Adresse, eine E-Mail-Adresse oder # und die id einer Stelle in diesem Text.",
    linkHintOld: "Lassen Sie sie leer, um den Link zu entfernen.",
    linkWords: "Wörter des Links",
    linkWrong: "Verlinken lassen sich nur Web-Adressen (https), E-Mail-Adressen und Telefonnummern.",
    fieldLabel: "Platzhalter",
    fieldSet: "Einfügen",
  },

  findings: "Was im Text gefunden wurde",
  found: (errors, warnings, locale) =>
    errors + warnings === 0
      ? "Mit dem Text ist alles in Ordnung."
      : `${counted(errors, "Fehler", "Fehler", locale)}, ${counted(warnings, "Warnung", "Warnungen", locale)}${errors > 0 ? ": Speichern geht, Veröffentlichen nicht." : "."}`,
  severities: { ERROR: "Fehler", WARNING: "Warnung" },
  place: (line, column) => `Zeile ${line}, Spalte ${column}`,
  messages,

  words: "Worte um den Text",
  wordsIntro: "Was leer ist, wird mit den üblichen Worten der Sprache gesagt.",
  wordLabels: {
    consentText: "Hinweis bei den Knöpfen",
    buttonText: "Knopf zum Zustimmen",
    declineText: "Knopf zum Ablehnen",
    checkboxText: "Worte am Kästchen",
    linkText: "Worte des Links",
  },
  purpose: "Worte zum Zweck",

  preview: "Vorschau",
  previewIntro: "So, wie man ihn sehen wird. Sie folgt dem, was Sie schreiben.",
  previewEmpty: "Noch ist nichts geschrieben.",
  previewInvalid: "Der Text hat Fehler, mit denen er nicht gezeigt werden kann.",
  liveIntro: (label) => `Version ${label}, so wie man sie jetzt sieht.`,
  showLive: "Veröffentlichten Text zeigen",
  phoneWidth: "Breite eines Telefons",
  nothingRecorded: "Das ist eine Vorschau: Es wurde nichts festgehalten.",
  samples: "Beispielwerte",

  verification: "Prüfung der Person",
  verificationIntro: "Was eine Zustimmung enthalten muss, wie es aus den Regeln folgt.",
  noVerification: "Eine Zustimmung braucht keine Prüfung.",
  oneIsEnough: "Von den Alternativen genügt eine.",
  alternative: "Alternative",
  fromAge: (age) => `ab ${age} Jahren`,
  policyHash: "Hash der Regeln",
  changed: "Geändert",

  policy: "Regeln",
  policyIntro:
    "Sie werden durchgesetzt, wenn eine Zustimmung eintrifft. Ein Einsatzort darf strenger sein, nie weniger streng. Belege nennen die Regeln, die galten.",
  groups: {
    reading: "Lesen und entscheiden",
    person: "Wer entscheidet",
    again: "Erneut fragen",
    sessions: "Sitzungen",
    records: "Nachweis und Aufbewahrung",
  },
  savePolicy: "Regeln speichern",
  nothingChanged: "Gespeichert.",
  usual: (value) => `Üblich: ${value}.`,
  on: "an",
  off: "aus",
  none: "keine",
  flags,
  choices,

  configuration: "Konfiguration",
  configurationIntro: {
    STATIC: "Dokumente, die zum Text gehören, und wie er gezeigt werden soll.",
    GENERATED: "Die Felder des Textes. Ohne Angabe gibt es fullName, email, company, title und date.",
    CONSENT: "Wer für die Daten verantwortlich ist, und die Zwecke, über die einzeln entschieden wird.",
  },
  changeConfiguration: "Konfiguration ändern",
  configurationHelp: {
    STATIC:
      "documents: je mit name, url, contentHash, order und mustRead. displayMode: INLINE, MODAL, LINK oder FULL_PAGE. downloadable: true oder false.",
    GENERATED:
      "variables: je mit key, label, type (STRING, NUMBER, DATE, BOOLEAN, ENUM), required, default und mehr. missing: ERROR oder EMPTY, für ein Feld ohne Wert.",
    CONSENT:
      "controller mit name, address, email und url; jurisdiction; privacyNoticeUrl; withdrawalMethod; purposes: je mit key, name, description, required, legalBasis und mehr.",
  },
  json: "Konfiguration als JSON",
  jsonWrong: "Das ist kein JSON-Objekt.",
};
