/** The labels of our own controls. Everything that is agreed to comes with the rendering. */
export interface Words {
  readonly loading: string;
  readonly loadFailed: string;
  readonly expired: string;
  readonly unsafe: string;
  readonly page: string;
  readonly pdfFailed: string;
  readonly unchecked: string;
  readonly retry: string;
  readonly reference: string;
  readonly before: string;
  readonly readToEnd: string;
  readonly readDisclosure: string;
  readonly openDocument: string;
  readonly wait: string;
  readonly waitOver: string;
  readonly done: string;
  readonly tickBox: string;
  readonly required: string;
  readonly typeName: string;
  readonly missing: string;
  readonly statement: string;
  readonly age: string;
  readonly fullAge: string;
  readonly purposes: string;
  readonly documents: string;
  readonly newTab: string;
  readonly read: string;
  readonly close: string;
  readonly staysOpen: string;
  readonly sending: string;
  readonly failed: string;
  readonly thanks: string;
  readonly recorded: string;
  readonly declined: string;
  readonly alreadyAccepted: string;
  readonly draft: string;
  readonly readOnly: string;
}

/** Words in the language of the locale, English where this script has none and none were given. */
export function chooseWords(locale: string, own: Partial<Words> = {}): { words: Words; language: string } {
  const language = languageOf(locale);
  const isSpoken = Object.hasOwn(languages, language);
  const words = isSpoken ? languages[language as keyof typeof languages] : languages.en;
  return { words: { ...words, ...own }, language: isSpoken || Object.keys(own).length > 0 ? locale : "en" };
}

const languageOf = (locale: string): string => locale.toLowerCase().split("-")[0] ?? "";

/** Loads the words of a language that this script does not bring; nothing where they cannot be had, or not soon. */
export async function loadWords(locale: string, load: () => Promise<unknown>): Promise<Partial<Words>> {
  const language = languageOf(locale);
  if (!/^(it|pt|nl|pl|ja|zh|ar|he)$/.test(language) || /^zh.*-(hant|tw|hk|mo)/i.test(locale)) return {};
  const late = new Promise<object>((resolve) => setTimeout(resolve, 5_000, {}));
  const more = (await Promise.race([load(), late]).catch(() => ({}))) as Record<string, Words>;
  return more[/^pt-br/i.test(locale) ? "ptBr" : language] ?? {};
}

/** Puts a value where the words leave room for it. */
export const fill = (words: string, value: string | number): string => words.replace("{}", () => String(value));

export function formatSeconds(seconds: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "long" }).format(seconds);
}

/** The words that this script brings. `{}` is where a value goes. */
const languages = {
  en: {
    loading: "Loading…",
    loadFailed: "The text could not be loaded.",
    expired: "This page has expired. Please start again.",
    unsafe: "The text is not shown because it contains something unsafe.",
    page: "Page {}",
    pdfFailed: "The document cannot be displayed. This is its text.",
    unchecked: "Without HTTPS, this page cannot check whether the text was changed.",
    retry: "Try again",
    reference: "Reference: {}",
    before: "Before you can continue:",
    readToEnd: "Read the text to its end",
    readDisclosure: "Read: {}",
    openDocument: "Open the document: {}",
    wait: "Take your time: {} left",
    waitOver: "You can decide now.",
    done: "done",
    tickBox: "Please tick this box.",
    required: "required",
    typeName: "Your full name",
    missing: "Please fill in: {}",
    statement: "Please confirm this statement.",
    age: "I am at least {} years old.",
    fullAge: "I am of full age.",
    purposes: "Choose what you agree to",
    documents: "Documents",
    newTab: "opens in a new tab",
    read: "Read: {}",
    close: "Close",
    staysOpen: "This window stays open until you decide or close it.",
    sending: "Recording your decision…",
    failed: "That did not work. Please try again; nothing is recorded twice.",
    thanks: "Thank you.",
    recorded: "Your decision is recorded.",
    declined: "You have declined.",
    alreadyAccepted: "You have already agreed to this text.",
    draft: "Preview of a draft: it cannot be accepted.",
    readOnly: "Opened by itself, this page cannot record a decision. Open it from the site that asks you.",
  },
  de: {
    loading: "Wird geladen …",
    loadFailed: "Der Text konnte nicht geladen werden.",
    expired: "Diese Seite ist abgelaufen. Bitte beginnen Sie von vorn.",
    unsafe: "Der Text wird nicht angezeigt, weil er Unsicheres enthält.",
    page: "Seite {}",
    pdfFailed: "Das Dokument kann nicht angezeigt werden. Dies ist sein Text.",
    unchecked: "Ohne HTTPS kann diese Seite nicht prüfen, ob der Text verändert wurde.",
    retry: "Erneut versuchen",
    reference: "Referenz: {}",
    before: "Bevor es weitergeht:",
    readToEnd: "Lesen Sie den Text bis zum Ende",
    readDisclosure: "Lesen Sie: {}",
    openDocument: "Öffnen Sie das Dokument: {}",
    wait: "Nehmen Sie sich Zeit: noch {}",
    waitOver: "Sie können sich jetzt entscheiden.",
    done: "erledigt",
    tickBox: "Bitte kreuzen Sie dieses Kästchen an.",
    required: "erforderlich",
    typeName: "Ihr vollständiger Name",
    missing: "Bitte ausfüllen: {}",
    statement: "Bitte bestätigen Sie diese Aussage.",
    age: "Ich bin mindestens {} Jahre alt.",
    fullAge: "Ich bin volljährig.",
    purposes: "Wählen Sie, womit Sie einverstanden sind",
    documents: "Dokumente",
    newTab: "öffnet sich in einem neuen Tab",
    read: "Lesen: {}",
    close: "Schließen",
    staysOpen: "Dieses Fenster bleibt offen, bis Sie sich entscheiden oder es schließen.",
    sending: "Ihre Entscheidung wird festgehalten …",
    failed: "Das hat nicht geklappt. Bitte versuchen Sie es erneut; nichts wird doppelt festgehalten.",
    thanks: "Vielen Dank.",
    recorded: "Ihre Entscheidung ist festgehalten.",
    declined: "Sie haben abgelehnt.",
    alreadyAccepted: "Sie haben diesem Text bereits zugestimmt.",
    draft: "Vorschau eines Entwurfs: Er kann nicht angenommen werden.",
    readOnly:
      "Für sich geöffnet, kann diese Seite keine Entscheidung festhalten. Öffnen Sie sie von der Seite aus, die Sie fragt.",
  },
  fr: {
    loading: "Chargement…",
    loadFailed: "Le texte n’a pas pu être chargé.",
    expired: "Cette page a expiré. Veuillez recommencer.",
    unsafe: "Le texte n’est pas affiché, car il contient un élément dangereux.",
    page: "Page {}",
    pdfFailed: "Le document ne peut pas être affiché. Voici son texte.",
    unchecked: "Sans HTTPS, cette page ne peut pas vérifier si le texte a été modifié.",
    retry: "Réessayer",
    reference: "Référence : {}",
    before: "Avant de continuer :",
    readToEnd: "Lisez le texte jusqu’à la fin",
    readDisclosure: "Lisez : {}",
    openDocument: "Ouvrez le document : {}",
    wait: "Prenez votre temps : encore {}",
    waitOver: "Vous pouvez maintenant décider.",
    done: "fait",
    tickBox: "Veuillez cocher cette case.",
    required: "obligatoire",
    typeName: "Votre nom complet",
    missing: "À remplir : {}",
    statement: "Veuillez confirmer cette déclaration.",
    age: "J’ai au moins {} ans.",
    fullAge: "Je suis majeur(e).",
    purposes: "Choisissez ce que vous acceptez",
    documents: "Documents",
    newTab: "s’ouvre dans un nouvel onglet",
    read: "Lire : {}",
    close: "Fermer",
    staysOpen: "Cette fenêtre reste ouverte jusqu’à votre décision ou sa fermeture.",
    sending: "Enregistrement de votre décision…",
    failed: "Cela n’a pas fonctionné. Veuillez réessayer ; rien n’est enregistré deux fois.",
    thanks: "Merci.",
    recorded: "Votre décision est enregistrée.",
    declined: "Vous avez refusé.",
    alreadyAccepted: "Vous avez déjà accepté ce texte.",
    draft: "Aperçu d’un brouillon : il ne peut pas être accepté.",
    readOnly:
      "Ouverte seule, cette page ne peut pas enregistrer de décision. Ouvrez-la depuis le site qui vous la demande.",
  },
  es: {
    loading: "Cargando…",
    loadFailed: "No se pudo cargar el texto.",
    expired: "Esta página ha caducado. Empiece de nuevo.",
    unsafe: "El texto no se muestra porque contiene algo inseguro.",
    page: "Página {}",
    pdfFailed: "No se puede mostrar el documento. Este es su texto.",
    unchecked: "Sin HTTPS, esta página no puede comprobar si se ha modificado el texto.",
    retry: "Reintentar",
    reference: "Referencia: {}",
    before: "Antes de continuar:",
    readToEnd: "Lea el texto hasta el final",
    readDisclosure: "Lea: {}",
    openDocument: "Abra el documento: {}",
    wait: "Tómese su tiempo: quedan {}",
    waitOver: "Ya puede decidir.",
    done: "hecho",
    tickBox: "Marque esta casilla.",
    required: "obligatorio",
    typeName: "Su nombre completo",
    missing: "Rellene este campo: {}",
    statement: "Confirme esta declaración.",
    age: "Tengo al menos {} años.",
    fullAge: "Soy mayor de edad.",
    purposes: "Elija lo que acepta",
    documents: "Documentos",
    newTab: "se abre en una pestaña nueva",
    read: "Leer: {}",
    close: "Cerrar",
    staysOpen: "Esta ventana sigue abierta hasta que decida o la cierre.",
    sending: "Registrando su decisión…",
    failed: "No ha funcionado. Inténtelo de nuevo; nada se registra dos veces.",
    thanks: "Gracias.",
    recorded: "Su decisión ha quedado registrada.",
    declined: "Ha rechazado el texto.",
    alreadyAccepted: "Ya ha aceptado este texto.",
    draft: "Vista previa de un borrador: no se puede aceptar.",
    readOnly: "Abierta por sí sola, esta página no puede registrar una decisión. Ábrala desde el sitio que se la pide.",
  },
} as const satisfies Record<string, Words>;
