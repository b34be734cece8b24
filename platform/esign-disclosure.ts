/** What consumers are told before they agree by electronic records; part of the evidence. */
export interface EsignDisclosure {
  /** The language of the title and of the text that we bring ourselves, BCP 47. */
  readonly locale: string;
  readonly title: string;
  /** A line for each paragraph. */
  readonly text: string;
}

/** The event by which a page tells that the disclosure was on the screen to its end: DISPLAYED with this target. */
export const disclosureTarget = "esignDisclosure";

interface DisclosureWords {
  readonly title: string;
  /** Where nobody is named. */
  readonly party: string;
  readonly lines: readonly string[];
}

// 15 U.S.C. 7001(c)(1): paper instead, withdrawal, scope, how to stay in touch, what is needed to read and keep it. A word
// that changes makes another text; what was shown before is kept as it was.
const languages = {
  en: {
    title: "About electronic records",
    party: "the company that asks you",
    lines: [
      "You read this text and agree to it electronically. Instead of signatures and letters on paper, there is an electronic record. You need not agree to that.",
      "You can have the text on paper, or decide on paper: ask {party}, who tells you whether that costs anything. Nothing is agreed to until you press the button below.",
      "Your consent is for this text alone. You can withdraw it for the future by telling {party}; what was agreed to before stays agreed.",
      "Tell {party} when your address or e-mail address changes.",
      "To read and keep the text you need a device with a current web browser, and a program for PDF files or a printer.",
      "By going on you confirm that you can read this page, and consent to electronic records.",
    ],
  },
  de: {
    title: "Über elektronische Dokumente",
    party: "das Unternehmen, das Sie fragt",
    lines: [
      "Sie lesen diesen Text und stimmen ihm elektronisch zu. Anstelle von Unterschriften und Briefen auf Papier gibt es einen elektronischen Nachweis. Damit müssen Sie nicht einverstanden sein.",
      "Sie können den Text auf Papier bekommen oder auf Papier entscheiden: Wenden Sie sich an {party}; dort erfahren Sie, ob das etwas kostet. Nichts ist vereinbart, bevor Sie unten auf die Schaltfläche drücken.",
      "Ihr Einverständnis gilt nur für diesen Text. Sie können es für die Zukunft widerrufen, indem Sie sich an {party} wenden; was vorher vereinbart wurde, bleibt vereinbart.",
      "Teilen Sie mit, wenn sich Ihre Anschrift oder E-Mail-Adresse ändert: {party}.",
      "Um den Text zu lesen und aufzubewahren, brauchen Sie ein Gerät mit einem aktuellen Browser und ein Programm für PDF-Dateien oder einen Drucker.",
      "Indem Sie fortfahren, bestätigen Sie, dass Sie diese Seite lesen können, und sind mit elektronischen Dokumenten einverstanden.",
    ],
  },
  fr: {
    title: "À propos des documents électroniques",
    party: "l’entreprise qui vous sollicite",
    lines: [
      "Vous lisez ce texte et l’acceptez par voie électronique. Un enregistrement électronique remplace les signatures et les lettres sur papier. Vous n’êtes pas obligé d’y consentir.",
      "Vous pouvez obtenir le texte sur papier, ou décider sur papier : adressez-vous à {party}, qui vous dira si cela a un coût. Rien n’est accepté tant que vous n’avez pas appuyé sur le bouton ci-dessous.",
      "Votre consentement ne vaut que pour ce texte. Vous pouvez le retirer pour l’avenir en vous adressant à {party} ; ce qui a été accepté auparavant le reste.",
      "Signalez tout changement d’adresse postale ou électronique : {party}.",
      "Pour lire et conserver le texte, il vous faut un appareil avec un navigateur à jour, et un programme pour fichiers PDF ou une imprimante.",
      "En continuant, vous confirmez que vous pouvez lire cette page et consentez aux documents électroniques.",
    ],
  },
  es: {
    title: "Sobre los documentos electrónicos",
    party: "la empresa que se lo pide",
    lines: [
      "Usted lee este texto y lo acepta electrónicamente. En lugar de firmas y cartas en papel hay un registro electrónico. No está obligado a consentirlo.",
      "Puede recibir el texto en papel, o decidir en papel: diríjase a {party}, que le dirá si tiene algún coste. Nada queda aceptado hasta que pulse el botón de abajo.",
      "Su consentimiento vale solo para este texto. Puede retirarlo para el futuro dirigiéndose a {party}; lo aceptado antes sigue aceptado.",
      "Comunique cualquier cambio de dirección postal o electrónica: {party}.",
      "Para leer y guardar el texto necesita un dispositivo con un navegador actual y un programa para archivos PDF o una impresora.",
      "Al continuar confirma que puede leer esta página y consiente los documentos electrónicos.",
    ],
  },
  it: {
    title: "Informazioni sui documenti elettronici",
    party: "l’azienda che glielo chiede",
    lines: [
      "Lei legge questo testo e lo accetta in forma elettronica. Al posto di firme e lettere su carta c’è una registrazione elettronica. Non è obbligato ad acconsentire.",
      "Può ricevere il testo su carta, o decidere su carta: si rivolga a {party}, che Le dirà se ha un costo. Nulla è accettato finché non preme il pulsante qui sotto.",
      "Il Suo consenso vale solo per questo testo. Può revocarlo per il futuro rivolgendosi a {party}; ciò che è stato accettato prima resta accettato.",
      "Comunichi ogni cambiamento di indirizzo postale o e-mail: {party}.",
      "Per leggere e conservare il testo occorrono un dispositivo con un browser aggiornato e un programma per file PDF o una stampante.",
      "Continuando conferma di poter leggere questa pagina e acconsente ai documenti elettronici.",
    ],
  },
  pt: {
    title: "Sobre os documentos eletrónicos",
    party: "a empresa que lhe pede",
    lines: [
      "Lê este texto e aceita-o por via eletrónica. Em vez de assinaturas e cartas em papel, há um registo eletrónico. Não é obrigado a consentir.",
      "Pode receber o texto em papel, ou decidir em papel: dirija-se a {party}, que lhe dirá se tem algum custo. Nada fica aceite até premir o botão abaixo.",
      "O seu consentimento vale apenas para este texto. Pode retirá-lo para o futuro dirigindo-se a {party}; o que foi aceite antes continua aceite.",
      "Comunique qualquer alteração do endereço postal ou de e-mail: {party}.",
      "Para ler e guardar o texto precisa de um dispositivo com um navegador atual e de um programa para ficheiros PDF ou de uma impressora.",
      "Ao continuar, confirma que consegue ler esta página e consente nos documentos eletrónicos.",
    ],
  },
} as const satisfies Record<string, DisclosureWords>;

const languageOf = (locale: string): string => locale.toLowerCase().split("-")[0] ?? "";

/**
 * The disclosure that is shown with a text of this locale: what the template's configuration says in it or in its
 * language, and otherwise ours, in English where we do not speak it.
 */
export function esignDisclosure(
  locale: string,
  { typeConfig, party }: { readonly typeConfig: { readonly esignDisclosure?: unknown }; readonly party: string | null },
): EsignDisclosure {
  const language = languageOf(locale);
  const isOurs = Object.hasOwn(languages, language);
  const words: DisclosureWords = isOurs ? languages[language as keyof typeof languages] : languages.en;
  const shown = { locale: isOurs ? locale : "en", title: words.title };
  const own = ownText(locale, typeConfig.esignDisclosure);
  if (own !== undefined) return { ...shown, text: own };
  const name = party || words.party;
  return { ...shown, text: words.lines.map((line) => line.replaceAll("{party}", () => name)).join("\n") };
}

function ownText(locale: string, given: unknown): string | undefined {
  const texts = Object.entries(Object(given) as Readonly<Record<string, unknown>>);
  const exact = texts.find(([tag]) => tag.toLowerCase() === locale.toLowerCase());
  const [, text] = exact ?? texts.find(([tag]) => tag.toLowerCase() === languageOf(locale)) ?? [];
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}
