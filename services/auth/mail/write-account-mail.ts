import { formMail, inLanguages, plainLook, type WrittenMail } from "#platform/mail/mail-layout.ts";
import type { MailKind } from "../domain/mail.ts";
import type { User } from "../domain/user.ts";
import type { MailDetails } from "../store/mail-store.ts";
import { type AccountMailTexts, ar, he, it, nl, pl, ptPt, zh } from "./account-mail-texts.ts";

export interface AccountMailContent {
  readonly kind: MailKind;
  readonly user: Pick<User, "name" | "locale" | "timeZone">;
  readonly organizationName: string;
  /** Empty for a mail without one. */
  readonly link: string;
  readonly details: MailDetails;
  /** When what it tells of happened. */
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Writes a mail in the user's language, or in English. */
export function writeAccountMail(content: AccountMailContent): WrittenMail {
  const { kind, user, details, link } = content;
  const { tag, texts } = accountMailLanguage(user.locale);
  const format = new Intl.DateTimeFormat(tag, {
    ...{ dateStyle: "long", timeStyle: "short", timeZone: user.timeZone || "UTC" },
  });
  const isExpected = kind === "invitation" || kind === "reset" || kind === "lockout";
  const date = format.format(isExpected ? content.expiresAt : content.createdAt);
  const endpoint = details.host || details.endpointId || "";
  const values = {
    name: user.name,
    organization: content.organizationName,
    date,
    endpoint,
    passkey: details.passkey ?? "",
  };
  const { subject, paragraphs, action } = draft(kind, texts, details);
  return formMail({
    ...{ tag, action, link, subject, values, look: plainLook(content.organizationName) },
    paragraphs: [texts.greeting, ...paragraphs],
  });
}

function draft(kind: MailKind, texts: AccountMailTexts, { reason }: MailDetails) {
  const { expires, private: personal } = texts;
  if (kind === "lockout") {
    return { subject: texts.lockoutSubject, paragraphs: [texts.lockoutText, texts.lockoutUnasked], action: "" };
  }
  if (kind === "endpoint-disabled") {
    const text = reason === "GONE" ? texts.endpointGoneText : texts.endpointFailingText;
    const paragraphs = [text, texts.endpointAdvice, texts.endpointWhy];
    return { subject: texts.endpointSubject, paragraphs, action: texts.endpointAction };
  }
  if (kind === "passkey-added" || kind === "passkey-removed") {
    const [subject, text] =
      kind === "passkey-added"
        ? [texts.passkeyAddedSubject, texts.passkeyAddedText]
        : [texts.passkeyRemovedSubject, texts.passkeyRemovedText];
    return { subject, paragraphs: [text, texts.passkeyUnasked], action: texts.passkeyAction };
  }
  if (kind === "invitation") {
    const paragraphs = [texts.invitationText, expires, personal];
    return { subject: texts.invitationSubject, paragraphs, action: texts.invitationAction };
  }
  const paragraphs = [texts.resetText, expires, texts.resetUnasked, personal];
  return { subject: texts.resetSubject, paragraphs, action: texts.resetAction };
}

const en: AccountMailTexts = {
  greeting: "Hello {name},",
  invitationSubject: "Your invitation to {organization}",
  invitationText: "You’ve been invited to the {organization} dashboard. Choose a password to get started.",
  invitationAction: "Accept the invitation",
  resetSubject: "Your password for {organization}",
  resetText: "Someone requested a new password for your account at {organization}.",
  resetAction: "Choose a new password",
  resetUnasked: "If this wasn’t you, ignore this email. Your password stays the same.",
  expires: "The link works once, until {date}.",
  private: "This link is for you alone. Don’t forward this email.",
  lockoutSubject: "Your account at {organization} is locked for 15 minutes",
  lockoutText:
    "After ten failed sign-in attempts, your account at {organization} is locked for 15 minutes. It unlocks automatically.",
  lockoutUnasked:
    "If this wasn’t you, someone may be trying to guess your password. Make sure you don’t use it anywhere else.",
  endpointSubject: "A webhook endpoint of {organization} was disabled",
  endpointFailingText:
    "The webhook endpoint {endpoint} was disabled on {date} because every attempt failed for five days. It no longer receives events.",
  endpointGoneText:
    "The webhook endpoint {endpoint} was disabled on {date} because it responded with 410 Gone. It no longer receives events.",
  endpointAction: "View endpoint",
  endpointAdvice: "Once your server works again, enable the endpoint and resend the missed events.",
  endpointWhy: "You received this email because you’re an owner of {organization}.",
  passkeyAddedSubject: "A passkey was added to your account at {organization}",
  passkeyAddedText:
    "The passkey “{passkey}” was added to your account at {organization} on {date}. It can be used to sign in.",
  passkeyRemovedSubject: "A passkey was removed from your account at {organization}",
  passkeyRemovedText:
    "The passkey “{passkey}” was removed from your account at {organization} on {date}. It can no longer be used to sign in.",
  passkeyUnasked: "If this wasn’t you, change your password and remove what you don’t recognize.",
  passkeyAction: "Check your account",
};

const de: AccountMailTexts = {
  greeting: "Guten Tag {name},",
  invitationSubject: "Ihre Einladung zu {organization}",
  invitationText: "Sie sind zum Dashboard von {organization} eingeladen. Wählen Sie ein Passwort, um zu beginnen.",
  invitationAction: "Einladung annehmen",
  resetSubject: "Ihr Passwort für {organization}",
  resetText: "Jemand hat ein neues Passwort für Ihr Konto bei {organization} angefordert.",
  resetAction: "Neues Passwort wählen",
  resetUnasked: "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.",
  expires: "Der Link kann einmal verwendet werden, bis {date}.",
  private: "Der Link ist nur für Sie bestimmt. Bitte leiten Sie diese Mail nicht weiter.",
  lockoutSubject: "Ihr Konto bei {organization} ist für 15 Minuten gesperrt",
  lockoutText:
    "Nach zehn fehlgeschlagenen Anmeldeversuchen ist Ihr Konto bei {organization} für 15 Minuten gesperrt. Danach wird es automatisch entsperrt.",
  lockoutUnasked:
    "Wenn Sie das nicht waren, versucht möglicherweise jemand, Ihr Passwort zu erraten. Verwenden Sie es nirgendwo sonst.",
  endpointSubject: "Ein Webhook-Endpunkt von {organization} wurde deaktiviert",
  endpointFailingText:
    "Der Webhook-Endpunkt {endpoint} wurde am {date} deaktiviert, weil fünf Tage lang jeder Versuch fehlgeschlagen ist. Er erhält keine Ereignisse mehr.",
  endpointGoneText:
    "Der Webhook-Endpunkt {endpoint} wurde am {date} deaktiviert, weil er mit 410 Gone geantwortet hat. Er erhält keine Ereignisse mehr.",
  endpointAction: "Endpunkt ansehen",
  endpointAdvice:
    "Sobald Ihr Server wieder funktioniert, aktivieren Sie den Endpunkt und senden Sie die verpassten Ereignisse erneut.",
  endpointWhy: "Sie erhalten diese Mail, weil Sie zu den Inhabern von {organization} gehören.",
  passkeyAddedSubject: "Ihrem Konto bei {organization} wurde ein Passkey hinzugefügt",
  passkeyAddedText:
    "Der Passkey „{passkey}“ wurde am {date} Ihrem Konto bei {organization} hinzugefügt. Mit ihm kann man sich anmelden.",
  passkeyRemovedSubject: "Von Ihrem Konto bei {organization} wurde ein Passkey entfernt",
  passkeyRemovedText:
    "Der Passkey „{passkey}“ wurde am {date} von Ihrem Konto bei {organization} entfernt. Mit ihm kann man sich nicht mehr anmelden.",
  passkeyUnasked: "Wenn Sie das nicht waren, ändern Sie Ihr Passwort und entfernen Sie, was Sie nicht kennen.",
  passkeyAction: "Konto prüfen",
};

const fr: AccountMailTexts = {
  greeting: "Bonjour {name},",
  invitationSubject: "Votre invitation à rejoindre {organization}",
  invitationText:
    "Vous êtes invité à rejoindre le tableau de bord de {organization}. Choisissez un mot de passe pour commencer.",
  invitationAction: "Accepter l’invitation",
  resetSubject: "Votre mot de passe pour {organization}",
  resetText: "Quelqu’un a demandé un nouveau mot de passe pour votre compte chez {organization}.",
  resetAction: "Choisir un nouveau mot de passe",
  resetUnasked: "Si ce n’était pas vous, il n’y a rien à faire : votre mot de passe reste le même.",
  expires: "Le lien peut être utilisé une fois, jusqu’au {date}.",
  private: "Ce lien est destiné à vous seul. Veuillez ne pas transférer ce message.",
  lockoutSubject: "Votre compte chez {organization} est bloqué pendant 15 minutes",
  lockoutText:
    "Dix tentatives de connexion à votre compte chez {organization} ont échoué. Il est bloqué pendant 15 minutes et se débloque de lui-même.",
  lockoutUnasked:
    "Si ce n’était pas vous, quelqu’un essaie de deviner votre mot de passe. Assurez-vous qu’il n’est utilisé nulle part ailleurs.",
  endpointSubject: "Un point de terminaison webhook de {organization} est désactivé",
  endpointFailingText:
    "Depuis le {date}, plus aucun événement n’est envoyé au point de terminaison webhook sur {endpoint} : pendant cinq jours, toutes les tentatives avaient échoué.",
  endpointGoneText:
    "Depuis le {date}, plus aucun événement n’est envoyé au point de terminaison webhook sur {endpoint} : il avait répondu qu’il n’existe plus (410).",
  endpointAction: "Voir le point de terminaison",
  endpointAdvice:
    "Quand le destinataire fonctionnera de nouveau, réactivez-y le point de terminaison et faites renvoyer ce qui a été manqué.",
  endpointWhy: "Vous recevez ce message parce que vous êtes propriétaire de {organization}.",
  passkeyAddedSubject: "Une clé d’accès a été ajoutée à votre compte chez {organization}",
  passkeyAddedText:
    "La clé d’accès « {passkey} » a été ajoutée le {date} à votre compte chez {organization}. Elle permet de se connecter.",
  passkeyRemovedSubject: "Une clé d’accès a été supprimée de votre compte chez {organization}",
  passkeyRemovedText:
    "La clé d’accès « {passkey} » a été supprimée le {date} de votre compte chez {organization}. Elle ne permet plus de se connecter.",
  passkeyUnasked: "Si ce n’était pas vous, changez votre mot de passe et supprimez ce que vous ne reconnaissez pas.",
  passkeyAction: "Vérifier votre compte",
};

const es: AccountMailTexts = {
  greeting: "Hola, {name}:",
  invitationSubject: "Su invitación a {organization}",
  invitationText: "Le han invitado al panel de {organization}. Elija una contraseña para empezar.",
  invitationAction: "Aceptar la invitación",
  resetSubject: "Su contraseña de {organization}",
  resetText: "Alguien ha pedido una contraseña nueva para su cuenta de {organization}.",
  resetAction: "Elegir una contraseña nueva",
  resetUnasked: "Si no ha sido usted, no tiene que hacer nada: su contraseña sigue siendo la misma.",
  expires: "El enlace puede usarse una vez, hasta el {date}.",
  private: "El enlace es solo para usted. No reenvíe este mensaje.",
  lockoutSubject: "Su cuenta de {organization} está bloqueada durante 15 minutos",
  lockoutText:
    "Ha habido diez intentos fallidos de entrar en su cuenta de {organization}. Está bloqueada durante 15 minutos y se abre por sí sola.",
  lockoutUnasked:
    "Si no ha sido usted, alguien intenta adivinar su contraseña. Compruebe que no la usa en ningún otro sitio.",
  endpointSubject: "Un punto de conexión de webhooks de {organization} está desactivado",
  endpointFailingText:
    "Desde el {date} no se envían eventos al punto de conexión de webhooks de {endpoint}: durante cinco días habían fallado todos los intentos.",
  endpointGoneText:
    "Desde el {date} no se envían eventos al punto de conexión de webhooks de {endpoint}: había respondido que ya no existe (410).",
  endpointAction: "Ver el punto de conexión",
  endpointAdvice:
    "Cuando el receptor vuelva a funcionar, active allí el punto de conexión y haga que se envíe lo que se perdió.",
  endpointWhy: "Recibe este mensaje porque es propietario de {organization}.",
  passkeyAddedSubject: "Se ha añadido una llave de acceso a su cuenta de {organization}",
  passkeyAddedText:
    "La llave de acceso «{passkey}» se añadió el {date} a su cuenta de {organization}. Con ella se puede iniciar sesión.",
  passkeyRemovedSubject: "Se ha eliminado una llave de acceso de su cuenta de {organization}",
  passkeyRemovedText:
    "La llave de acceso «{passkey}» se eliminó el {date} de su cuenta de {organization}. Con ella ya no se puede iniciar sesión.",
  passkeyUnasked: "Si no ha sido usted, cambie su contraseña y elimine lo que no reconozca.",
  passkeyAction: "Comprobar la cuenta",
};

const ptBr: AccountMailTexts = {
  greeting: "Olá, {name},",
  invitationSubject: "Seu convite para {organization}",
  invitationText: "Você foi convidado para o painel de {organization}. Escolha uma senha para começar.",
  invitationAction: "Aceitar o convite",
  resetSubject: "Sua senha de {organization}",
  resetText: "Alguém pediu uma nova senha para a sua conta em {organization}.",
  resetAction: "Escolher uma nova senha",
  resetUnasked: "Se não foi você, não é preciso fazer nada: sua senha continua a mesma.",
  expires: "O link pode ser usado uma vez, até {date}.",
  private: "O link é destinado somente a você. Não encaminhe esta mensagem.",
  lockoutSubject: "Sua conta em {organization} está bloqueada por 15 minutos",
  lockoutText:
    "Houve dez tentativas fracassadas de entrar na sua conta em {organization}. Ela está bloqueada por 15 minutos e se abre sozinha.",
  lockoutUnasked:
    "Se não foi você, alguém está tentando adivinhar sua senha. Confira que ela não é usada em outro lugar.",
  endpointSubject: "Um endpoint de webhook de {organization} está desativado",
  endpointFailingText:
    "Desde {date} nenhum evento é enviado ao endpoint de webhook em {endpoint}: durante cinco dias todas as tentativas haviam falhado.",
  endpointGoneText:
    "Desde {date} nenhum evento é enviado ao endpoint de webhook em {endpoint}: ele havia respondido que não existe mais (410).",
  endpointAction: "Ver o endpoint",
  endpointAdvice: "Quando o receptor voltar a funcionar, ative ali o endpoint e mande reenviar o que foi perdido.",
  endpointWhy: "Você recebe esta mensagem porque é proprietário de {organization}.",
  passkeyAddedSubject: "Uma chave de acesso foi adicionada à sua conta em {organization}",
  passkeyAddedText:
    "A chave de acesso “{passkey}” foi adicionada em {date} à sua conta em {organization}. Com ela é possível entrar.",
  passkeyRemovedSubject: "Uma chave de acesso foi removida da sua conta em {organization}",
  passkeyRemovedText:
    "A chave de acesso “{passkey}” foi removida em {date} da sua conta em {organization}. Com ela não é mais possível entrar.",
  passkeyUnasked: "Se não foi você, troque sua senha e remova o que não reconhece.",
  passkeyAction: "Verificar a conta",
};

const ja: AccountMailTexts = {
  greeting: "{name} 様",
  invitationSubject: "{organization} への招待",
  invitationText: "{organization} のダッシュボードに招待されました。パスワードを設定して始めてください。",
  invitationAction: "招待を受ける",
  resetSubject: "{organization} のパスワード",
  resetText: "{organization} のアカウントについて、新しいパスワードの設定が求められました。",
  resetAction: "新しいパスワードを設定する",
  resetUnasked: "お心当たりがない場合は、何もする必要はありません。パスワードは変わりません。",
  expires: "リンクは {date} まで、一度だけ使えます。",
  private: "このリンクはご本人専用です。このメールを転送しないでください。",
  lockoutSubject: "{organization} のアカウントが15分間ロックされました",
  lockoutText:
    "{organization} のアカウントへのログインが10回失敗しました。アカウントは15分間ロックされ、その後自動的に解除されます。",
  lockoutUnasked:
    "お心当たりがない場合は、誰かがパスワードを推測しようとしています。同じパスワードを他で使っていないかご確認ください。",
  endpointSubject: "{organization} の Webhook エンドポイントが無効になりました",
  endpointFailingText:
    "{date} 以降、{endpoint} の Webhook エンドポイントにはイベントが送信されていません。5日間、すべての試行が失敗したためです。",
  endpointGoneText:
    "{date} 以降、{endpoint} の Webhook エンドポイントにはイベントが送信されていません。存在しない（410）と応答があったためです。",
  endpointAction: "エンドポイントを見る",
  endpointAdvice: "受信側が復旧したら、そこでエンドポイントを有効にし、届かなかったイベントを再送してください。",
  endpointWhy: "このメールは、{organization} の所有者の方にお送りしています。",
  passkeyAddedSubject: "{organization} のアカウントにパスキーが追加されました",
  passkeyAddedText:
    "{date} に、{organization} のアカウントにパスキー「{passkey}」が追加されました。ログインに使えます。",
  passkeyRemovedSubject: "{organization} のアカウントからパスキーが削除されました",
  passkeyRemovedText:
    "{date} に、{organization} のアカウントからパスキー「{passkey}」が削除されました。ログインにはもう使えません。",
  passkeyUnasked: "お心当たりがない場合は、パスワードを変更し、見覚えのないものを削除してください。",
  passkeyAction: "アカウントを確認する",
};

export const accountMailLanguages = {
  ...{ en, de, fr, es, it, "pt-BR": ptBr, "pt-PT": ptPt },
  ...{ nl, pl, ja, "zh-Hans": zh, ar, he },
};
const accountMailLanguage = inLanguages<AccountMailTexts>(accountMailLanguages);
