import { inLanguages } from "#platform/mail/mail-layout.ts";

/** What a copy says itself, in one language; `{…}` is where a value goes. */
export interface CopyWords {
  readonly subject: string;
  readonly greeting: string;
  readonly about: string;
  readonly attached: string;
  readonly whyYou: string;
  /** Of the document. */
  readonly title: string;
  readonly text: string;
  readonly decision: string;
  readonly acceptedAt: string;
  readonly party: string;
  readonly version: string;
  readonly person: string;
  readonly purposes: string;
  readonly receipt: string;
  readonly contentHash: string;
}

const words = {
  en: {
    subject: "Your copy: {title}",
    greeting: "Hello,",
    about: "you accepted “{title}” on {date}.",
    attached:
      "Attached are the text and the receipt {receipt}. Keep both: the receipt is signed and proves what was accepted.",
    whyYou: "You get this mail once, because your address was given for a copy. You need not answer it.",
    title: "Copy: {title}",
    text: "The text",
    decision: "The acceptance",
    acceptedAt: "Accepted",
    party: "Party to the agreement",
    version: "Version",
    person: "Accepted by",
    purposes: "Consent given to",
    receipt: "Receipt",
    contentHash: "Hash of the text",
  },
  de: {
    subject: "Ihre Kopie: {title}",
    greeting: "Guten Tag,",
    about: "Sie haben „{title}“ am {date} zugestimmt.",
    attached:
      "Angehängt sind der Text und der Beleg {receipt}. Bewahren Sie beides auf: Der Beleg ist signiert und weist nach, welchem Text zugestimmt wurde.",
    whyYou:
      "Sie erhalten diese E-Mail einmal, weil Ihre Adresse für eine Kopie angegeben wurde. Sie müssen nicht antworten.",
    title: "Kopie: {title}",
    text: "Der Text",
    decision: "Die Zustimmung",
    acceptedAt: "Zugestimmt",
    party: "Vertragspartner",
    version: "Version",
    person: "Zugestimmt hat",
    purposes: "Eingewilligt in",
    receipt: "Beleg",
    contentHash: "Prüfsumme des Textes",
  },
  fr: {
    subject: "Votre copie : {title}",
    greeting: "Bonjour,",
    about: "vous avez accepté « {title} » le {date}.",
    attached:
      "Vous trouverez ci-joint le texte et le reçu {receipt}. Conservez-les : le reçu est signé et prouve ce qui a été accepté.",
    whyYou:
      "Vous recevez ce message une seule fois, parce que votre adresse a été indiquée pour une copie. Il n’est pas nécessaire d’y répondre.",
    title: "Copie : {title}",
    text: "Le texte",
    decision: "L’acceptation",
    acceptedAt: "Accepté",
    party: "Partie au contrat",
    version: "Version",
    person: "Accepté par",
    purposes: "Consentement donné à",
    receipt: "Reçu",
    contentHash: "Empreinte du texte",
  },
  es: {
    subject: "Su copia: {title}",
    greeting: "Hola:",
    about: "Usted aceptó «{title}» el {date}.",
    attached:
      "Se adjuntan el texto y el recibo {receipt}. Guarde ambos: el recibo está firmado y demuestra lo que se aceptó.",
    whyYou:
      "Recibe este mensaje una sola vez, porque se indicó su dirección para enviar una copia. No es necesario que responda.",
    title: "Copia: {title}",
    text: "El texto",
    decision: "La aceptación",
    acceptedAt: "Aceptado",
    party: "Parte del acuerdo",
    version: "Versión",
    person: "Aceptado por",
    purposes: "Consentimiento dado para",
    receipt: "Recibo",
    contentHash: "Huella del texto",
  },
  it: {
    subject: "La Sua copia: {title}",
    greeting: "Buongiorno,",
    about: "Lei ha accettato «{title}» il {date}.",
    attached:
      "In allegato trova il testo e la ricevuta {receipt}. Conservi entrambi: la ricevuta è firmata e prova che cosa è stato accettato.",
    whyYou:
      "Riceve questo messaggio una sola volta, perché il Suo indirizzo è stato indicato per una copia. Non occorre rispondere.",
    title: "Copia: {title}",
    text: "Il testo",
    decision: "L’accettazione",
    acceptedAt: "Accettato",
    party: "Controparte",
    version: "Versione",
    person: "Accettato da",
    purposes: "Consenso dato a",
    receipt: "Ricevuta",
    contentHash: "Impronta del testo",
  },
  pt: {
    subject: "A sua cópia: {title}",
    greeting: "Olá,",
    about: "aceitou “{title}” em {date}.",
    attached:
      "Em anexo estão o texto e o recibo {receipt}. Guarde ambos: o recibo está assinado e prova o que foi aceite.",
    whyYou:
      "Recebe esta mensagem uma única vez, porque o seu endereço foi indicado para uma cópia. Não precisa de responder.",
    title: "Cópia: {title}",
    text: "O texto",
    decision: "A aceitação",
    acceptedAt: "Aceite",
    party: "Parte do acordo",
    version: "Versão",
    person: "Aceite por",
    purposes: "Consentimento dado a",
    receipt: "Recibo",
    contentHash: "Resumo do texto",
  },
} as const satisfies Record<string, CopyWords>;

/** In the language of a text; English where we do not speak it. */
export const copyWords: (locale: string) => { readonly tag: string; readonly texts: CopyWords } =
  inLanguages<CopyWords>(words);
