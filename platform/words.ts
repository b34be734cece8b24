/** The words around a text; part of the evidence, because a court asks what the button said. */
export interface Words {
  readonly title: string;
  readonly noticeText: string;
  readonly buttonText: string;
  readonly declineText: string;
  readonly checkboxText: string;
}

/** What a version says itself. */
interface OwnWords {
  readonly consentText: string | null;
  readonly buttonText: string | null;
  readonly declineText: string | null;
  readonly checkboxText: string | null;
}

interface DefaultWords {
  readonly notice: (button: string, title: string) => string;
  readonly button: string;
  readonly decline: string;
  readonly checkbox: (title: string) => string;
}

// The title stands apart from the sentence in languages where it would have to be inflected or take an article.
const defaults = {
  en: {
    notice: (button, title) => `By clicking "${button}" I agree to the ${title}.`,
    button: "I agree",
    decline: "I decline",
    checkbox: (title) => `I have read and agree to the ${title}.`,
  },
  de: {
    notice: (button, title) => `Mit einem Klick auf „${button}“ stimme ich Folgendem zu: ${title}.`,
    button: "Ich stimme zu",
    decline: "Ich lehne ab",
    checkbox: (title) => `Ich habe Folgendes gelesen und stimme zu: ${title}.`,
  },
  fr: {
    notice: (button, title) => `En cliquant sur « ${button} », j’accepte ce qui suit : ${title}.`,
    button: "J’accepte",
    decline: "Je refuse",
    checkbox: (title) => `J’ai lu et j’accepte ce qui suit : ${title}.`,
  },
  es: {
    notice: (button, title) => `Al hacer clic en «${button}», acepto lo siguiente: ${title}.`,
    button: "Acepto",
    decline: "No acepto",
    checkbox: (title) => `He leído y acepto lo siguiente: ${title}.`,
  },
  it: {
    notice: (button, title) => `Facendo clic su «${button}» accetto quanto segue: ${title}.`,
    button: "Accetto",
    decline: "Non accetto",
    checkbox: (title) => `Ho letto e accetto quanto segue: ${title}.`,
  },
  pt: {
    notice: (button, title) => `Ao clicar em “${button}”, aceito o seguinte: ${title}.`,
    button: "Aceito",
    decline: "Não aceito",
    checkbox: (title) => `Li e aceito o seguinte: ${title}.`,
  },
} as const satisfies Record<string, DefaultWords>;

/** What the version says, and for the rest what is usual in its language; English where we do not speak it. */
export function chooseWords(texts: OwnWords, title: string, locale: string): Words {
  const language = locale.split("-")[0] ?? "";
  const usual: DefaultWords = Object.hasOwn(defaults, language)
    ? defaults[language as keyof typeof defaults]
    : defaults.en;
  const buttonText = texts.buttonText ?? usual.button;
  return {
    title,
    noticeText: texts.consentText ?? usual.notice(buttonText, title),
    buttonText,
    declineText: texts.declineText ?? usual.decline,
    checkboxText: texts.checkboxText ?? usual.checkbox(title),
  };
}
