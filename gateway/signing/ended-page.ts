import { escapeHtml } from "#platform/escape-html.ts";
import type { Reply } from "../http/reply.ts";

/** Why a link to an agreement shows no agreement. */
export type LinkEnd = "unknown" | "declined" | "declined-by-you" | "voided" | "expired" | "completed";

const outcomes: readonly LinkEnd[] = ["declined", "declined-by-you", "voided", "expired", "completed"];

/** What the service tells of the end of an agreement to whoever has a link to it. */
export const linkEndOf = (outcome = ""): LinkEnd => outcomes.find((one) => one === outcome) ?? "unknown";

type Words = readonly [heading: string, text: string];

/** A page in the language of the browser, which names the agreement if the link was one to it. */
export function endedPage(end: LinkEnd, { acceptLanguage = "", subject = "" }): Reply {
  const tags = acceptLanguage
    .slice(0, 200)
    .split(",")
    .map((tag) => tag.trim().toLowerCase().split(/[-;]/)[0] ?? "");
  const language = tags.find((tag) => Object.hasOwn(words, tag)) ?? "en";
  const [heading, text] = (words[language] ?? english)[end];
  const about = subject === "" ? "" : `<p><strong>${escapeHtml(subject)}</strong></p>\n`;
  return {
    status: 200,
    body: `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${heading}</title></head>
<body>
<main>
<h1>${heading}</h1>
${about}<p>${text}</p>
</main>
</body>
</html>
`,
    contentType: "text/html; charset=utf-8",
    headers: {
      "Referrer-Policy": "no-referrer",
      "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'",
    },
  };
}

const english: Readonly<Record<LinkEnd, Words>> = {
  unknown: [
    "This link does not work",
    "It is incomplete, was used already, or is too old. If it came by e-mail, open it from the e-mail again. Otherwise ask the sender for a new one.",
  ],
  declined: [
    "Declined",
    "Somebody has declined to sign. The agreement has ended, and there is nothing left for you to do.",
  ],
  "declined-by-you": ["You have declined", "You have declined to sign. The agreement has ended for everybody."],
  voided: ["Withdrawn by the sender", "The sender has withdrawn the agreement. There is nothing left for you to do."],
  expired: [
    "Expired",
    "The time to sign is over. If you still want to sign, ask the sender to send the agreement again.",
  ],
  completed: [
    "Completed",
    "Everybody has signed. The time to read the documents with this link is over: ask the sender for a copy.",
  ],
};

const words: Readonly<Record<string, Readonly<Record<LinkEnd, Words>>>> = {
  en: english,
  de: {
    unknown: [
      "Dieser Link funktioniert nicht",
      "Er ist unvollständig, wurde schon verwendet oder ist zu alt. Wenn er per E-Mail kam, öffnen Sie ihn dort erneut. Bitten Sie sonst den Absender um einen neuen.",
    ],
    declined: [
      "Abgelehnt",
      "Jemand hat die Unterschrift abgelehnt. Die Vereinbarung ist beendet, für Sie ist nichts mehr zu tun.",
    ],
    "declined-by-you": [
      "Sie haben abgelehnt",
      "Sie haben die Unterschrift abgelehnt. Die Vereinbarung ist für alle beendet.",
    ],
    voided: [
      "Vom Absender zurückgezogen",
      "Der Absender hat die Vereinbarung zurückgezogen. Für Sie ist nichts mehr zu tun.",
    ],
    expired: [
      "Abgelaufen",
      "Die Frist zum Unterschreiben ist vorbei. Wenn Sie noch unterschreiben möchten, bitten Sie den Absender, die Vereinbarung erneut zu senden.",
    ],
    completed: [
      "Abgeschlossen",
      "Alle haben unterschrieben. Mit diesem Link lassen sich die Dokumente nicht mehr lesen: Bitten Sie den Absender um eine Kopie.",
    ],
  },
  fr: {
    unknown: [
      "Ce lien ne fonctionne pas",
      "Il est incomplet, a déjà servi ou est trop ancien. S’il est arrivé par e-mail, ouvrez-le de nouveau depuis l’e-mail. Sinon, demandez-en un autre à l’expéditeur.",
    ],
    declined: ["Refusé", "Quelqu’un a refusé de signer. La demande est close, vous n’avez plus rien à faire."],
    "declined-by-you": ["Vous avez refusé", "Vous avez refusé de signer. La demande est close pour tout le monde."],
    voided: ["Annulé par l’expéditeur", "L’expéditeur a annulé la demande. Vous n’avez plus rien à faire."],
    expired: [
      "Expiré",
      "Le délai de signature est passé. Si vous souhaitez encore signer, demandez à l’expéditeur de renvoyer la demande.",
    ],
    completed: [
      "Terminé",
      "Tout le monde a signé. Ce lien ne permet plus de lire les documents : demandez une copie à l’expéditeur.",
    ],
  },
  es: {
    unknown: [
      "Este enlace no funciona",
      "Está incompleto, ya se ha usado o es demasiado antiguo. Si llegó por correo, ábralo de nuevo desde el correo. Si no, pida otro al remitente.",
    ],
    declined: ["Rechazado", "Alguien ha rechazado firmar. La solicitud ha terminado y no le queda nada por hacer."],
    "declined-by-you": ["Ha rechazado firmar", "Ha rechazado firmar. La solicitud ha terminado para todos."],
    voided: ["Anulado por el remitente", "El remitente ha anulado la solicitud. No le queda nada por hacer."],
    expired: [
      "Caducado",
      "El plazo para firmar ha terminado. Si aún quiere firmar, pida al remitente que vuelva a enviar la solicitud.",
    ],
    completed: [
      "Completado",
      "Todos han firmado. Los documentos ya no se pueden leer con este enlace: pida una copia al remitente.",
    ],
  },
  pt: {
    unknown: [
      "Este link não funciona",
      "Ele está incompleto, já foi usado ou é antigo demais. Se chegou por e-mail, abra-o de novo a partir do e-mail. Caso contrário, peça outro ao remetente.",
    ],
    declined: [
      "Recusado",
      "Alguém se recusou a assinar. A solicitação foi encerrada e você não precisa fazer mais nada.",
    ],
    "declined-by-you": ["Você recusou", "Você se recusou a assinar. A solicitação foi encerrada para todos."],
    voided: ["Cancelado pelo remetente", "O remetente cancelou a solicitação. Você não precisa fazer mais nada."],
    expired: [
      "Expirado",
      "O prazo para assinar terminou. Se ainda quiser assinar, peça ao remetente que envie a solicitação de novo.",
    ],
    completed: [
      "Concluído",
      "Todos assinaram. Os documentos não podem mais ser lidos por este link: peça uma cópia ao remetente.",
    ],
  },
  ja: {
    unknown: [
      "このリンクは使えません",
      "リンクが不完全か、使用済みか、古すぎます。メールで届いたリンクは、メールからもう一度開いてください。それ以外の場合は、送信者に新しいリンクを依頼してください。",
    ],
    declined: ["辞退されました", "署名が辞退されたため、この契約は終了しました。必要な操作はありません。"],
    "declined-by-you": ["署名を辞退しました", "あなたが署名を辞退したため、この契約は全員について終了しました。"],
    voided: ["送信者が取り消しました", "送信者がこの契約を取り消しました。必要な操作はありません。"],
    expired: ["期限切れ", "署名の期限が過ぎました。署名を希望する場合は、送信者に再送を依頼してください。"],
    completed: [
      "完了",
      "全員の署名が完了しました。このリンクで文書を読める期間は終わりました。送信者に写しを依頼してください。",
    ],
  },
};
