import type { Recorder } from "./recorder.ts";
import type { DisplayMode, Rendering } from "./rendering.ts";

/** The body of `POST /v1/click/accept`, ready to be sent by the customer's backend with its own credential. */
export interface Acceptance {
  readonly sessionId?: string;
  readonly templateId?: string;
  readonly userRef?: string;
  readonly versionId?: string;
  readonly locale: string;
  readonly contentHash?: string;
  readonly renderToken?: string;
  readonly decision: Decision;
  readonly action: string;
  readonly purposes?: readonly { readonly purpose: string; readonly granted: boolean }[];
  readonly typedName?: string;
  readonly verification?: readonly {
    readonly method: string;
    readonly verifiedAt: string;
    readonly reference?: string;
  }[];
  readonly presentation: object;
  readonly context: object;
  readonly acceptedAt: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export type Decision = "ACCEPT" | "DECLINE";

/** What a person entered. */
export interface Answers {
  readonly purposes: ReadonlyMap<string, boolean>;
  readonly typedName: string;
  readonly statedAge: boolean;
}

export interface AcceptanceFacts {
  readonly rendering: Rendering;
  readonly displayMode: DisplayMode;
  readonly decision: Decision;
  readonly answers: Answers;
  readonly recorder: Recorder;
  readonly userRef: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

export function buildAcceptance(facts: AcceptanceFacts): Acceptance {
  const { rendering, decision, answers, userRef, metadata } = facts;
  const { sessionId, templateId, versionId, contentHash, renderToken, locale } = rendering;
  const now = new Date().toISOString();
  const isAccept = decision === "ACCEPT";
  return {
    ...(sessionId !== undefined ? { sessionId } : templateId !== undefined ? { templateId } : {}),
    ...(userRef === undefined ? {} : { userRef }),
    ...(versionId === undefined ? {} : { versionId }),
    locale,
    ...(contentHash === undefined ? {} : { contentHash }),
    ...(renderToken === undefined ? {} : { renderToken }),
    decision,
    action: isAccept ? actionOf(rendering) : "BUTTON",
    ...(isAccept && rendering.templateType === "CONSENT" ? { purposes: purposesOf(answers) } : {}),
    ...(isAccept && rendering.rules.typedName ? { typedName: answers.typedName } : {}),
    ...(isAccept && answers.statedAge ? { verification: [ageStatement(rendering.rules.minAge, now)] } : {}),
    presentation: presentationOf(facts),
    context: contextOf(),
    acceptedAt: now,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function actionOf({ rules, templateType }: Rendering): string {
  if (rules.checkbox || templateType === "CONSENT") return "CHECKBOX_AND_BUTTON";
  if (rules.typedName) return "TYPED_NAME";
  return rules.scroll ? "SCROLL_AND_BUTTON" : "BUTTON";
}

const purposesOf = ({ purposes }: Answers) => [...purposes].map(([purpose, granted]) => ({ purpose, granted }));

const ageStatement = (minAge: number, verifiedAt: string) => ({
  method: "AGE_STATEMENT",
  verifiedAt,
  ...(minAge > 0 ? { reference: `minAge:${minAge}` } : {}),
});

function presentationOf({ rendering, displayMode, recorder }: AcceptanceFacts): object {
  const { rules, templateType, noticeText, buttonText, checkboxText } = rendering;
  const hasBoxes = rules.checkbox || templateType === "CONSENT";
  return {
    surface: "WEB",
    wrapType: rules.scroll ? "SCROLLWRAP" : "CLICKWRAP",
    displayMode,
    noticeText: noticeText.slice(0, 2000),
    buttonText: buttonText.slice(0, 255),
    ...(rules.checkbox ? { checkboxText: checkboxText.slice(0, 2000) } : {}),
    ...(hasBoxes ? { checkboxInitiallyChecked: false } : {}),
    scrolledToEnd: recorder.isScrolledToEnd,
    displayedMs: recorder.displayedMs() ?? 0,
    documentsOpened: [...recorder.documentsOpened],
    viewport: { w: window.innerWidth, h: window.innerHeight },
    events: recorder.events(),
  };
}

/** The backend adds the address; queries and fragments of the page may hold what is nobody's business. */
function contextOf(): object {
  const { language, languages = [language], userAgent } = navigator;
  return {
    pageUrl: (location.origin + location.pathname).slice(0, 2048),
    pageTitle: document.title.slice(0, 500),
    ...(document.referrer === "" ? {} : { referrer: document.referrer.slice(0, 2048) }),
    userAgent: userAgent.slice(0, 1000),
    acceptLanguage: languages.join(", ").slice(0, 500),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    gpc: (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true,
  };
}
