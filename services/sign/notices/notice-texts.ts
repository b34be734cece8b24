import { inLanguages } from "#platform/mail/mail-layout.ts";
import type { NoticeKind } from "./notices.ts";

/** `{subject}`, `{person}`, `{reason}`, `{date}`, `{people}`, `{organization}` and `{count}` are placeholders. */
export interface NoticeTexts {
  readonly greeting: string;
  /** Followed by a colon and the subject of the agreement. */
  readonly titles: Readonly<Record<NoticeKind, string>>;
  readonly news: Readonly<Record<NoticeKind, string>>;
  readonly reason: string;
  readonly stillOpen: string;
  readonly anotherAddress: string;
  readonly open: string;
  readonly digestSubject: string;
  readonly digestText: string;
  readonly digestOpen: string;
  readonly why: string;
  readonly stop: string;
}

const en: NoticeTexts = {
  greeting: "Hello {name},",
  titles: {
    viewed: "Opened",
    signed: "Signed",
    declined: "Declined",
    completed: "Completed",
    expiring: "Expires soon",
    expired: "Expired",
    undelivered: "Email bounced",
  },
  news: {
    viewed: "{person} opened “{subject}”.",
    signed: "{person} finished their part of “{subject}”.",
    declined: "{person} declined “{subject}”. It has ended for everyone.",
    completed: "Everyone has finished “{subject}”. The sealed documents and the certificate are ready.",
    expiring: "“{subject}” expires on {date}.",
    expired: "“{subject}” wasn’t finished in time and has expired.",
    undelivered: "The email to {person} about “{subject}” bounced.",
  },
  reason: "Reason: {reason}",
  stillOpen: "Not finished yet: {people}",
  anotherAddress:
    "The address of a sent agreement can't be changed. To use another one, void the agreement and send a new one.",
  open: "Open the agreement",
  digestSubject: "What happened to your agreements ({count})",
  digestText: "Since the last summary:",
  digestOpen: "Open your agreements",
  why: "You received this email because you get notices about agreements sent by you or by applications of {organization}. Choose which notices you get under “My account” in the dashboard.",
  stop: "Turn off all emails of this kind",
};

const de: NoticeTexts = {
  greeting: "Guten Tag {name},",
  titles: {
    viewed: "Geöffnet",
    signed: "Unterschrieben",
    declined: "Abgelehnt",
    completed: "Abgeschlossen",
    expiring: "Läuft bald ab",
    expired: "Abgelaufen",
    undelivered: "E-Mail unzustellbar",
  },
  news: {
    viewed: "{person} hat „{subject}“ geöffnet.",
    signed: "{person} ist mit „{subject}“ fertig.",
    declined: "{person} hat „{subject}“ abgelehnt. Damit ist es für alle beendet.",
    completed: "Alle sind mit „{subject}“ fertig. Die versiegelten Dokumente und das Zertifikat liegen bereit.",
    expiring: "„{subject}“ läuft am {date} ab.",
    expired: "„{subject}“ wurde nicht rechtzeitig fertig und ist abgelaufen.",
    undelivered: "Eine E-Mail an {person} zu „{subject}“ kam zurück.",
  },
  reason: "Grund: {reason}",
  stillOpen: "Noch nicht fertig: {people}",
  anotherAddress:
    "Die Adresse einer versandten Vereinbarung bleibt. Für eine andere ziehen Sie die Vereinbarung zurück und senden eine neue.",
  open: "Vereinbarung öffnen",
  digestSubject: "Neues von Ihren Vereinbarungen ({count})",
  digestText: "Seit der letzten Zusammenfassung:",
  digestOpen: "Vereinbarungen öffnen",
  why: "Sie erhalten diese E-Mail, weil Sie über Vereinbarungen informiert werden, die Sie oder Anwendungen von {organization} versandt haben. Worüber, legen Sie im Dashboard unter „Mein Konto“ fest.",
  stop: "Alle E-Mails dieser Art deaktivieren",
};

const fr: NoticeTexts = {
  greeting: "Bonjour {name},",
  titles: {
    viewed: "Ouvert",
    signed: "Signé",
    declined: "Refusé",
    completed: "Terminé",
    expiring: "Expire bientôt",
    expired: "Expiré",
    undelivered: "Message revenu",
  },
  news: {
    viewed: "{person} a ouvert « {subject} ».",
    signed: "{person} a terminé sa partie de « {subject} ».",
    declined: "{person} a refusé « {subject} », qui prend fin pour tous.",
    completed: "Tout le monde a terminé « {subject} ». Les documents scellés et le certificat sont prêts.",
    expiring: "« {subject} » expire le {date}.",
    expired: "« {subject} » n’a pas été terminé à temps et a expiré.",
    undelivered: "Un message à {person} au sujet de « {subject} » est revenu.",
  },
  reason: "Motif : {reason}",
  stillOpen: "Pas encore terminé : {people}",
  anotherAddress:
    "L’adresse d’un accord envoyé ne peut pas être modifiée. Pour en utiliser une autre, annulez l’accord et envoyez-en un nouveau.",
  open: "Ouvrir l’accord",
  digestSubject: "Nouvelles de vos accords ({count})",
  digestText: "Depuis le dernier résumé :",
  digestOpen: "Ouvrir vos accords",
  why: "Vous recevez ce message parce que vous êtes informé des accords que vous ou des applications de {organization} avez envoyés. Choisissez lesquels dans le tableau de bord, sous votre compte.",
  stop: "Désactiver tous les messages de ce type",
};

const es: NoticeTexts = {
  greeting: "Hola, {name}:",
  titles: {
    viewed: "Abierto",
    signed: "Firmado",
    declined: "Rechazado",
    completed: "Completado",
    expiring: "Caduca pronto",
    expired: "Caducado",
    undelivered: "Correo devuelto",
  },
  news: {
    viewed: "{person} ha abierto «{subject}».",
    signed: "{person} ha terminado su parte de «{subject}».",
    declined: "{person} ha rechazado «{subject}», que termina para todos.",
    completed: "Todos han terminado «{subject}». Los documentos sellados y el certificado están listos.",
    expiring: "«{subject}» caduca el {date}.",
    expired: "«{subject}» no se terminó a tiempo y ha caducado.",
    undelivered: "Un correo a {person} sobre «{subject}» ha sido devuelto.",
  },
  reason: "Motivo: {reason}",
  stillOpen: "Sin terminar: {people}",
  anotherAddress:
    "La dirección de un acuerdo enviado no se puede cambiar. Para usar otra, anule el acuerdo y envíe uno nuevo.",
  open: "Abrir el acuerdo",
  digestSubject: "Novedades de sus acuerdos ({count})",
  digestText: "Desde el último resumen:",
  digestOpen: "Abrir sus acuerdos",
  why: "Recibe este mensaje porque se le informa de los acuerdos que usted o aplicaciones de {organization} han enviado. Elija de cuáles en el panel, en su cuenta.",
  stop: "Desactivar todos los correos de este tipo",
};

const ptBr: NoticeTexts = {
  greeting: "Olá, {name},",
  titles: {
    viewed: "Aberto",
    signed: "Assinado",
    declined: "Recusado",
    completed: "Concluído",
    expiring: "Expira em breve",
    expired: "Expirado",
    undelivered: "Email devolvido",
  },
  news: {
    viewed: "{person} abriu “{subject}”.",
    signed: "{person} concluiu sua parte de “{subject}”.",
    declined: "{person} recusou “{subject}”, que terminou para todos.",
    completed: "Todos concluíram “{subject}”. Os documentos selados e o certificado estão prontos.",
    expiring: "“{subject}” expira em {date}.",
    expired: "“{subject}” não foi concluído a tempo e expirou.",
    undelivered: "Um email para {person} sobre “{subject}” foi devolvido.",
  },
  reason: "Motivo: {reason}",
  stillOpen: "Ainda não concluíram: {people}",
  anotherAddress:
    "O endereço de um acordo enviado não pode ser alterado. Para usar outro, anule o acordo e envie um novo.",
  open: "Abrir o acordo",
  digestSubject: "Novidades dos seus acordos ({count})",
  digestText: "Desde o último resumo:",
  digestOpen: "Abrir seus acordos",
  why: "Você recebe esta mensagem porque é informado dos acordos que você ou aplicações de {organization} enviaram. Escolha quais no painel, na sua conta.",
  stop: "Desativar todos os emails deste tipo",
};

const ja: NoticeTexts = {
  greeting: "{name} 様",
  titles: {
    viewed: "開封",
    signed: "署名済み",
    declined: "辞退",
    completed: "完了",
    expiring: "まもなく期限",
    expired: "期限切れ",
    undelivered: "メール不達",
  },
  news: {
    viewed: "{person} さんが「{subject}」を開きました。",
    signed: "{person} さんが「{subject}」の手続きを終えました。",
    declined: "{person} さんが「{subject}」を辞退したため、終了しました。",
    completed: "全員が「{subject}」を終えました。封印された文書と証明書をご覧いただけます。",
    expiring: "「{subject}」の期限は {date} です。",
    expired: "「{subject}」は期限までに完了せず、終了しました。",
    undelivered: "「{subject}」について {person} さんに送ったメールが届きませんでした。",
  },
  reason: "理由: {reason}",
  stillOpen: "未完了: {people}",
  anotherAddress:
    "送信済みの契約のアドレスは変更できません。別のアドレスを使うには、契約を取り消して新しく送信してください。",
  open: "契約を開く",
  digestSubject: "契約のお知らせ（{count}件）",
  digestText: "前回のまとめ以降:",
  digestOpen: "契約の一覧を開く",
  why: "このメールは、あなたまたは {organization} のアプリケーションが送信した契約のお知らせです。内容はダッシュボードのアカウント設定で選べます。",
  stop: "この種のメールをすべて停止する",
};

export const noticeLanguage = inLanguages<NoticeTexts>({ en, de, fr, es, "pt-BR": ptBr, ja });
