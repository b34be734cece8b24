/** What mails about a user's account say. `{name}`, `{organization}` and `{date}` are filled in. */
export interface AccountMailTexts {
  readonly greeting: string;
  readonly invitationSubject: string;
  readonly invitationText: string;
  readonly invitationAction: string;
  readonly resetSubject: string;
  readonly resetText: string;
  readonly resetAction: string;
  readonly resetUnasked: string;
  readonly expires: string;
  readonly private: string;
  readonly lockoutSubject: string;
  readonly lockoutText: string;
  readonly lockoutUnasked: string;
}

const en: AccountMailTexts = {
  greeting: "Hello {name},",
  invitationSubject: "Your invitation to {organization}",
  invitationText: "You have been invited to the dashboard of {organization}. Choose a password to begin.",
  invitationAction: "Accept the invitation",
  resetSubject: "Your password for {organization}",
  resetText: "Somebody has asked for a new password for your account at {organization}.",
  resetAction: "Choose a new password",
  resetUnasked: "If that was not you, there is nothing to do: your password stays as it is.",
  expires: "The link can be used once, until {date}.",
  private: "The link is meant for you alone. Please do not forward this mail.",
  lockoutSubject: "Your account at {organization} is locked for 15 minutes",
  lockoutText:
    "There were ten failed attempts to log in to your account at {organization}. It is locked for 15 minutes and opens by itself.",
  lockoutUnasked:
    "If that was not you, somebody is trying to guess your password. Make sure that it is used nowhere else.",
};

const de: AccountMailTexts = {
  greeting: "Guten Tag {name},",
  invitationSubject: "Ihre Einladung zu {organization}",
  invitationText: "Sie sind zum Dashboard von {organization} eingeladen. Wählen Sie ein Passwort, um zu beginnen.",
  invitationAction: "Einladung annehmen",
  resetSubject: "Ihr Passwort für {organization}",
  resetText: "Jemand hat ein neues Passwort für Ihr Konto bei {organization} angefordert.",
  resetAction: "Neues Passwort wählen",
  resetUnasked: "Wenn Sie das nicht waren, ist nichts zu tun: Ihr Passwort bleibt, wie es ist.",
  expires: "Der Link kann einmal verwendet werden, bis {date}.",
  private: "Der Link ist nur für Sie bestimmt. Bitte leiten Sie diese Mail nicht weiter.",
  lockoutSubject: "Ihr Konto bei {organization} ist für 15 Minuten gesperrt",
  lockoutText:
    "Es gab zehn fehlgeschlagene Anmeldungen bei Ihrem Konto bei {organization}. Es ist für 15 Minuten gesperrt und öffnet sich von selbst.",
  lockoutUnasked:
    "Wenn Sie das nicht waren, versucht jemand, Ihr Passwort zu erraten. Achten Sie darauf, dass es nirgends sonst verwendet wird.",
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
};

const languages: ReadonlyMap<string, { readonly tag: string; readonly texts: AccountMailTexts }> = new Map([
  ["en", { tag: "en", texts: en }],
  ["de", { tag: "de", texts: de }],
  ["fr", { tag: "fr", texts: fr }],
  ["es", { tag: "es", texts: es }],
  ["pt", { tag: "pt-BR", texts: ptBr }],
  ["ja", { tag: "ja", texts: ja }],
]);

/** The texts for a BCP 47 tag; English ones when there are none for its language. */
export const accountMailLanguage = (locale: string): { readonly tag: string; readonly texts: AccountMailTexts } =>
  languages.get(locale.toLowerCase().split("-")[0] ?? "") ?? { tag: "en", texts: en };
