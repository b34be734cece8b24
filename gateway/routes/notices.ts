import { DomainError, fromConnectError } from "#platform/errors.ts";
import { acceptedLanguages, directionOf, languageFor } from "#platform/language.ts";
import { standardDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { wantsPage } from "../signing/replies.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { example } from "./schema-parts.ts";

const tokenParam = {
  schema: example(
    { type: "string", minLength: 1, maxLength: 200, description: "The token from the email." },
    "AZYSNFZ4erCN7wEjRWeJqwEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJq83v",
  ),
  names: "noticeToken",
  otherwise: "NOT_FOUND",
} as const;

const base = {
  tag: "Dashboard",
  access: "public",
  dialect: standardDialect,
  texts: { token: tokenParam },
} as const;

/** How users end the mails about agreements that they have sent, without signing in (RFC 8058). */
export const noticeRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "askToStopNotices",
    method: "GET",
    path: "/notices/stop/{token}",
    summary: "Show the page for turning notices off",
    description: "For browsers. Changes nothing, because programs follow links too.",
    success: { status: 200, description: "A page with one button.", contentType: "text/html" },
    errors: [],
    call: async () => undefined,
    respond: (_answer, request) => page(request, "ask"),
  }),
  defineRoute({
    ...base,
    operationId: "stopNotices",
    method: "POST",
    path: "/notices/stop/{token}",
    summary: "Turn notices off",
    description:
      "Turns off all emails about agreements for the user the email was sent to. For mail programs (`List-Unsubscribe-Post`, RFC 8058) and the page; the body is ignored.",
    errorPages: true,
    success: { status: 200, description: "Notices are off.", contentType: "text/html" },
    errors: ["NOT_FOUND"],
    call: async (request, { tokens }) => {
      try {
        await tokens.stopNotices({ token: request.params.token });
        return "done";
      } catch (error) {
        if (fromConnectError(error)?.code !== "NOT_FOUND") throw error;
        if (wantsPage(request)) return "unknown";
        throw new DomainError("NOT_FOUND");
      }
    },
    respond: (state, request) => page(request, state),
  }),
];

type Words = {
  readonly ask: string;
  readonly text: string;
  readonly button: string;
  readonly done: string;
  readonly doneText: string;
  readonly unknown: string;
  readonly unknownText: string;
};

export const stopWords = {
  en: {
    ask: "Turn off notices?",
    text: "You won't get any more emails about agreements sent by you or your organization's applications.",
    button: "Turn off",
    done: "Notices are off",
    doneText: "You can turn them on again in the dashboard, under “My account”.",
    unknown: "This link no longer works",
    unknownText: "Sign in to the dashboard and turn notices off under “My account”.",
  },
  de: {
    ask: "Benachrichtigungen deaktivieren?",
    text: "Sie erhalten dann keine E-Mails mehr über Vereinbarungen, die Sie oder Anwendungen Ihrer Organisation versandt haben.",
    button: "Deaktivieren",
    done: "Benachrichtigungen sind aus",
    doneText: "Sie können sie im Dashboard unter „Mein Konto“ wieder aktivieren.",
    unknown: "Dieser Link funktioniert nicht mehr",
    unknownText: "Melden Sie sich im Dashboard an und deaktivieren Sie die Benachrichtigungen unter „Mein Konto“.",
  },
  fr: {
    ask: "Désactiver les notifications ?",
    text: "Vous ne recevrez plus de messages sur les accords que vous ou des applications de votre organisation avez envoyés.",
    button: "Désactiver",
    done: "Les notifications sont désactivées",
    doneText: "Vous pouvez les réactiver dans le tableau de bord, sous votre compte.",
    unknown: "Ce lien ne fonctionne plus",
    unknownText: "Connectez-vous au tableau de bord et désactivez les notifications sous votre compte.",
  },
  es: {
    ask: "¿Desactivar los avisos?",
    text: "No recibirá más correos sobre los acuerdos que usted o aplicaciones de su organización han enviado.",
    button: "Desactivar",
    done: "Los avisos están desactivados",
    doneText: "Puede volver a activarlos en el panel, en su cuenta.",
    unknown: "Este enlace ya no funciona",
    unknownText: "Inicie sesión en el panel y desactive los avisos en su cuenta.",
  },
  "pt-BR": {
    ask: "Desativar os avisos?",
    text: "Você não receberá mais emails sobre os acordos que você ou aplicações da sua organização enviaram.",
    button: "Desativar",
    done: "Os avisos estão desativados",
    doneText: "Você pode ativá-los de novo no painel, na sua conta.",
    unknown: "Este link não funciona mais",
    unknownText: "Entre no painel e desative os avisos na sua conta.",
  },
  ja: {
    ask: "お知らせを停止しますか？",
    text: "あなたまたは組織のアプリケーションが送信した契約についてのメールが届かなくなります。",
    button: "停止する",
    done: "お知らせを停止しました",
    doneText: "ダッシュボードのアカウント設定で再開できます。",
    unknown: "このリンクは無効です",
    unknownText: "ダッシュボードにログインし、アカウント設定でお知らせを停止してください。",
  },
  it: {
    ask: "Disattivare gli avvisi?",
    text: "Non riceverà più e-mail sugli accordi inviati da Lei o dalle applicazioni della Sua organizzazione.",
    button: "Disattiva",
    done: "Gli avvisi sono disattivati",
    doneText: "È possibile riattivarli nella dashboard, nel Suo account.",
    unknown: "Questo link non funziona più",
    unknownText: "Acceda alla dashboard e disattivi gli avvisi nel Suo account.",
  },
  "pt-PT": {
    ask: "Desativar os avisos?",
    text: "Deixará de receber e-mails sobre os acordos que enviou ou que aplicações da sua organização enviaram.",
    button: "Desativar",
    done: "Os avisos estão desativados",
    doneText: "Pode voltar a ativá-los no painel, na sua conta.",
    unknown: "Esta ligação já não funciona",
    unknownText: "Inicie sessão no painel e desative os avisos na sua conta.",
  },
  nl: {
    ask: "Berichten uitschakelen?",
    text: "U krijgt dan geen e-mails meer over overeenkomsten die u of toepassingen van uw organisatie hebben verzonden.",
    button: "Uitschakelen",
    done: "Berichten zijn uitgeschakeld",
    doneText: "U kunt ze in het dashboard, bij uw account, weer inschakelen.",
    unknown: "Deze link werkt niet meer",
    unknownText: "Meld u aan bij het dashboard en schakel de berichten uit bij uw account.",
  },
  pl: {
    ask: "Wyłączyć powiadomienia?",
    text: "Nie będziesz już otrzymywać wiadomości o umowach wysłanych przez Ciebie lub aplikacje Twojej organizacji.",
    button: "Wyłącz",
    done: "Powiadomienia są wyłączone",
    doneText: "Możesz je ponownie włączyć w panelu, na swoim koncie.",
    unknown: "Ten link już nie działa",
    unknownText: "Zaloguj się do panelu i wyłącz powiadomienia na swoim koncie.",
  },
  "zh-Hans": {
    ask: "要停用通知吗？",
    text: "您将不再收到由您或贵组织的应用程序发送的协议的相关邮件。",
    button: "停用",
    done: "通知已停用",
    doneText: "您可以在控制面板的账户中重新启用。",
    unknown: "此链接已失效",
    unknownText: "请登录控制面板，在账户中停用通知。",
  },
  ar: {
    ask: "إيقاف الإشعارات؟",
    text: "لن تصلك بعد الآن رسائل عن الاتفاقيات التي أرسلتها أنت أو تطبيقات مؤسستك.",
    button: "إيقاف",
    done: "الإشعارات متوقفة",
    doneText: "يمكنك تشغيلها مجددًا من لوحة التحكم، في حسابك.",
    unknown: "لم يعد هذا الرابط يعمل",
    unknownText: "سجّل الدخول إلى لوحة التحكم وأوقف الإشعارات في حسابك.",
  },
  he: {
    ask: "להפסיק את ההודעות?",
    text: "לא יישלחו אליך עוד הודעות על הסכמים ששלחת או שנשלחו בידי יישומים של הארגון שלך.",
    button: "הפסקה",
    done: "ההודעות הופסקו",
    doneText: "אפשר להפעיל אותן מחדש בלוח הבקרה, בחשבון שלך.",
    unknown: "הקישור הזה כבר אינו פועל",
    unknownText: "יש להיכנס ללוח הבקרה ולהפסיק את ההודעות בחשבון שלך.",
  },
} as const satisfies Readonly<Record<string, Words>>;

function page({ headers }: Pick<RouteRequest, "headers">, state: "ask" | "done" | "unknown"): Reply {
  const spoken = Object.keys(stopWords) as (keyof typeof stopWords)[];
  const language = languageFor(acceptedLanguages(headers["accept-language"]), spoken) ?? "en";
  const { ask, text, button, done, doneText, unknown, unknownText } = stopWords[language];
  const form = `<p>${text}</p>\n<form method="post"><button type="submit">${button}</button></form>`;
  const { heading, content } = {
    ask: { heading: ask, content: form },
    done: { heading: done, content: `<p>${doneText}</p>` },
    unknown: { heading: unknown, content: `<p>${unknownText}</p>` },
  }[state];
  return {
    status: state === "unknown" ? 404 : 200,
    body: `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${heading}</title></head>
<body>
<main>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`,
    contentType: "text/html; charset=utf-8",
    headers: {
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    },
  };
}
