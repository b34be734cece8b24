/**
 * What mails about a user's account say. `{name}`, `{organization}`, `{date}`, `{endpoint}` and
 * `{passkey}` are filled in.
 */
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
  readonly endpointSubject: string;
  readonly endpointFailingText: string;
  readonly endpointGoneText: string;
  readonly endpointAction: string;
  readonly endpointAdvice: string;
  readonly endpointWhy: string;
  readonly passkeyAddedSubject: string;
  readonly passkeyAddedText: string;
  readonly passkeyRemovedSubject: string;
  readonly passkeyRemovedText: string;
  readonly passkeyUnasked: string;
  readonly passkeyAction: string;
}

export const it: AccountMailTexts = {
  greeting: "Salve {name},",
  invitationSubject: "Il suo invito a {organization}",
  invitationText: "È stato invitato alla dashboard di {organization}. Scelga una password per iniziare.",
  invitationAction: "Accetta l’invito",
  resetSubject: "La sua password per {organization}",
  resetText: "Qualcuno ha chiesto una nuova password per il suo account presso {organization}.",
  resetAction: "Scegli una nuova password",
  resetUnasked: "Se non è stato lei, non deve fare nulla: la sua password resta com’è.",
  expires: "Il link può essere usato una volta, fino al {date}.",
  private: "Il link è destinato solo a lei. La preghiamo di non inoltrare questo messaggio.",
  lockoutSubject: "Il suo account presso {organization} è bloccato per 15 minuti",
  lockoutText:
    "Ci sono stati dieci tentativi non riusciti di accedere al suo account presso {organization}. È bloccato per 15 minuti e si sblocca da solo.",
  lockoutUnasked:
    "Se non è stato lei, qualcuno sta cercando di indovinare la sua password. Verifichi che non sia usata altrove.",
  endpointSubject: "Un endpoint webhook di {organization} è disattivato",
  endpointFailingText:
    "Dal {date} nessun evento viene inviato all’endpoint webhook di {endpoint}: per cinque giorni ogni tentativo era fallito.",
  endpointGoneText:
    "Dal {date} nessun evento viene inviato all’endpoint webhook di {endpoint}: aveva risposto di non esistere più (410).",
  endpointAction: "Apri l’endpoint",
  endpointAdvice:
    "Quando il destinatario funziona di nuovo, riattivi l’endpoint e si faccia inviare ciò che è andato perso.",
  endpointWhy: "Riceve questo messaggio perché è tra i proprietari di {organization}.",
  passkeyAddedSubject: "Una passkey è stata aggiunta al suo account presso {organization}",
  passkeyAddedText:
    "La passkey «{passkey}» è stata aggiunta il {date} al suo account presso {organization}. Permette di accedere.",
  passkeyRemovedSubject: "Una passkey è stata rimossa dal suo account presso {organization}",
  passkeyRemovedText:
    "La passkey «{passkey}» è stata rimossa il {date} dal suo account presso {organization}. Non permette più di accedere.",
  passkeyUnasked: "Se non è stato lei, cambi la password e rimuova ciò che non riconosce.",
  passkeyAction: "Controlla l’account",
};

export const ptPt: AccountMailTexts = {
  greeting: "Olá, {name},",
  invitationSubject: "O seu convite para {organization}",
  invitationText: "Foi convidado para o painel de {organization}. Escolha uma palavra-passe para começar.",
  invitationAction: "Aceitar o convite",
  resetSubject: "A sua palavra-passe de {organization}",
  resetText: "Alguém pediu uma nova palavra-passe para a sua conta em {organization}.",
  resetAction: "Escolher uma nova palavra-passe",
  resetUnasked: "Se não foi você, não precisa de fazer nada: a sua palavra-passe continua a mesma.",
  expires: "A ligação pode ser usada uma vez, até {date}.",
  private: "A ligação destina-se apenas a si. Não reencaminhe esta mensagem.",
  lockoutSubject: "A sua conta em {organization} está bloqueada durante 15 minutos",
  lockoutText:
    "Houve dez tentativas falhadas de entrar na sua conta em {organization}. Está bloqueada durante 15 minutos e desbloqueia-se sozinha.",
  lockoutUnasked:
    "Se não foi você, alguém está a tentar adivinhar a sua palavra-passe. Verifique que não é usada noutro sítio.",
  endpointSubject: "Um endpoint de webhook de {organization} está desativado",
  endpointFailingText:
    "Desde {date}, nenhum evento é enviado ao endpoint de webhook em {endpoint}: durante cinco dias, todas as tentativas tinham falhado.",
  endpointGoneText:
    "Desde {date}, nenhum evento é enviado ao endpoint de webhook em {endpoint}: tinha respondido que já não existe (410).",
  endpointAction: "Ver o endpoint",
  endpointAdvice: "Quando o recetor voltar a funcionar, ative aí o endpoint e mande reenviar o que se perdeu.",
  endpointWhy: "Recebe esta mensagem porque é proprietário de {organization}.",
  passkeyAddedSubject: "Foi adicionada uma chave de acesso à sua conta em {organization}",
  passkeyAddedText:
    "A chave de acesso «{passkey}» foi adicionada em {date} à sua conta em {organization}. Permite iniciar sessão.",
  passkeyRemovedSubject: "Foi removida uma chave de acesso da sua conta em {organization}",
  passkeyRemovedText:
    "A chave de acesso «{passkey}» foi removida em {date} da sua conta em {organization}. Já não permite iniciar sessão.",
  passkeyUnasked: "Se não foi você, altere a palavra-passe e remova o que não reconhece.",
  passkeyAction: "Verificar a conta",
};

export const nl: AccountMailTexts = {
  greeting: "Hallo {name},",
  invitationSubject: "Uw uitnodiging voor {organization}",
  invitationText: "U bent uitgenodigd voor het dashboard van {organization}. Kies een wachtwoord om te beginnen.",
  invitationAction: "Uitnodiging accepteren",
  resetSubject: "Uw wachtwoord voor {organization}",
  resetText: "Iemand heeft een nieuw wachtwoord aangevraagd voor uw account bij {organization}.",
  resetAction: "Nieuw wachtwoord kiezen",
  resetUnasked: "Was u dat niet, dan hoeft u niets te doen: uw wachtwoord blijft zoals het is.",
  expires: "De link kan één keer worden gebruikt, tot {date}.",
  private: "De link is alleen voor u bedoeld. Stuur deze mail niet door.",
  lockoutSubject: "Uw account bij {organization} is 15 minuten vergrendeld",
  lockoutText:
    "Er zijn tien mislukte pogingen geweest om in te loggen op uw account bij {organization}. Het is 15 minuten vergrendeld en gaat vanzelf weer open.",
  lockoutUnasked:
    "Was u dat niet, dan probeert iemand uw wachtwoord te raden. Zorg ervoor dat u het nergens anders gebruikt.",
  endpointSubject: "Een webhook-endpoint van {organization} is uitgeschakeld",
  endpointFailingText:
    "Sinds {date} worden er geen gebeurtenissen meer verzonden naar het webhook-endpoint op {endpoint}: vijf dagen lang was elke poging mislukt.",
  endpointGoneText:
    "Sinds {date} worden er geen gebeurtenissen meer verzonden naar het webhook-endpoint op {endpoint}: het had geantwoord dat het niet meer bestaat (410).",
  endpointAction: "Endpoint bekijken",
  endpointAdvice: "Als de ontvanger weer werkt, schakelt u het endpoint daar in en laat u nasturen wat is gemist.",
  endpointWhy: "U krijgt deze mail omdat u eigenaar bent van {organization}.",
  passkeyAddedSubject: "Er is een passkey toegevoegd aan uw account bij {organization}",
  passkeyAddedText:
    "De passkey “{passkey}” is op {date} toegevoegd aan uw account bij {organization}. Hiermee kan worden ingelogd.",
  passkeyRemovedSubject: "Er is een passkey verwijderd uit uw account bij {organization}",
  passkeyRemovedText:
    "De passkey “{passkey}” is op {date} verwijderd uit uw account bij {organization}. Hiermee kan niet meer worden ingelogd.",
  passkeyUnasked: "Was u dit niet, wijzig dan uw wachtwoord en verwijder wat u niet herkent.",
  passkeyAction: "Account controleren",
};

export const pl: AccountMailTexts = {
  greeting: "Dzień dobry {name},",
  invitationSubject: "Zaproszenie do {organization}",
  invitationText: "Zaproszono Cię do panelu {organization}. Aby zacząć, ustaw hasło.",
  invitationAction: "Przyjmij zaproszenie",
  resetSubject: "Hasło do {organization}",
  resetText: "Ktoś poprosił o nowe hasło do Twojego konta w {organization}.",
  resetAction: "Ustaw nowe hasło",
  resetUnasked: "Jeśli to nie Ty, nie musisz nic robić: hasło pozostaje bez zmian.",
  expires: "Linku można użyć jeden raz, do {date}.",
  private: "Link jest przeznaczony tylko dla Ciebie. Nie przesyłaj dalej tej wiadomości.",
  lockoutSubject: "Twoje konto w {organization} jest zablokowane na 15 minut",
  lockoutText:
    "Było dziesięć nieudanych prób zalogowania się na Twoje konto w {organization}. Konto jest zablokowane na 15 minut i odblokuje się samo.",
  lockoutUnasked:
    "Jeśli to nie Ty, ktoś próbuje odgadnąć Twoje hasło. Upewnij się, że nie jest używane nigdzie indziej.",
  endpointSubject: "Punkt końcowy webhooka {organization} jest wyłączony",
  endpointFailingText:
    "Od {date} do punktu końcowego webhooka {endpoint} nie są wysyłane zdarzenia: przez pięć dni wszystkie próby się nie powiodły.",
  endpointGoneText:
    "Od {date} do punktu końcowego webhooka {endpoint} nie są wysyłane zdarzenia: odpowiedział, że już nie istnieje (410).",
  endpointAction: "Zobacz punkt końcowy",
  endpointAdvice:
    "Gdy odbiorca znów zacznie działać, włącz tam punkt końcowy i wyślij ponownie to, co zostało pominięte.",
  endpointWhy: "Otrzymujesz tę wiadomość, ponieważ należysz do właścicieli {organization}.",
  passkeyAddedSubject: "Do Pana/Pani konta w {organization} dodano klucz dostępu",
  passkeyAddedText: "Klucz dostępu „{passkey}” dodano {date} do konta w {organization}. Można się nim logować.",
  passkeyRemovedSubject: "Z Pana/Pani konta w {organization} usunięto klucz dostępu",
  passkeyRemovedText:
    "Klucz dostępu „{passkey}” usunięto {date} z konta w {organization}. Nie można się nim już logować.",
  passkeyUnasked: "Jeśli to nie Pan/Pani, proszę zmienić hasło i usunąć to, co nieznane.",
  passkeyAction: "Sprawdź konto",
};

export const zh: AccountMailTexts = {
  greeting: "{name}，您好：",
  invitationSubject: "您收到了 {organization} 的邀请",
  invitationText: "您已受邀使用 {organization} 的管理后台。请设置密码以开始使用。",
  invitationAction: "接受邀请",
  resetSubject: "您在 {organization} 的密码",
  resetText: "有人为您在 {organization} 的账户申请了新密码。",
  resetAction: "设置新密码",
  resetUnasked: "如果不是您本人操作，则无需处理：您的密码保持不变。",
  expires: "此链接只能使用一次，有效期至 {date}。",
  private: "此链接仅供您本人使用。请勿转发此邮件。",
  lockoutSubject: "您在 {organization} 的账户已被锁定 15 分钟",
  lockoutText: "您在 {organization} 的账户有十次登录失败。账户已锁定 15 分钟，之后会自动解锁。",
  lockoutUnasked: "如果不是您本人操作，则有人正在尝试猜测您的密码。请确认该密码未在其他地方使用。",
  endpointSubject: "{organization} 的一个 Webhook 端点已停用",
  endpointFailingText: "自 {date} 起，不再向 {endpoint} 的 Webhook 端点发送事件：过去五天的所有尝试均失败。",
  endpointGoneText: "自 {date} 起，不再向 {endpoint} 的 Webhook 端点发送事件：它答复已不存在（410）。",
  endpointAction: "查看端点",
  endpointAdvice: "接收方恢复正常后，请在那里启用该端点，并重新发送遗漏的事件。",
  endpointWhy: "您收到此邮件，是因为您是 {organization} 的所有者。",
  passkeyAddedSubject: "您在 {organization} 的账户已添加通行密钥",
  passkeyAddedText: "通行密钥“{passkey}”已于 {date} 添加到您在 {organization} 的账户，可用于登录。",
  passkeyRemovedSubject: "您在 {organization} 的账户已移除通行密钥",
  passkeyRemovedText: "通行密钥“{passkey}”已于 {date} 从您在 {organization} 的账户中移除，不能再用于登录。",
  passkeyUnasked: "如果不是您本人操作，请更改密码，并移除您不认识的内容。",
  passkeyAction: "检查账户",
};

export const ar: AccountMailTexts = {
  greeting: "مرحبًا {name}،",
  invitationSubject: "دعوتك إلى {organization}",
  invitationText: "تمت دعوتك إلى لوحة التحكم الخاصة بـ {organization}. اختر كلمة مرور للبدء.",
  invitationAction: "قبول الدعوة",
  resetSubject: "كلمة مرورك لدى {organization}",
  resetText: "طلب شخص ما كلمة مرور جديدة لحسابك لدى {organization}.",
  resetAction: "اختيار كلمة مرور جديدة",
  resetUnasked: "إذا لم تكن أنت من طلب ذلك، فلا داعي لفعل شيء: تبقى كلمة مرورك كما هي.",
  expires: "يمكن استخدام الرابط مرة واحدة، حتى {date}.",
  private: "هذا الرابط مخصص لك وحدك. يُرجى عدم إعادة توجيه هذه الرسالة.",
  lockoutSubject: "حسابك لدى {organization} مقفل لمدة 15 دقيقة",
  lockoutText:
    "حدثت عشر محاولات فاشلة لتسجيل الدخول إلى حسابك لدى {organization}. الحساب مقفل لمدة 15 دقيقة ويُفتح تلقائيًا.",
  lockoutUnasked: "إذا لم تكن أنت، فهناك من يحاول تخمين كلمة مرورك. تأكد من أنها غير مستخدمة في مكان آخر.",
  endpointSubject: "تم إيقاف نقطة نهاية Webhook تابعة لـ {organization}",
  endpointFailingText:
    "منذ {date} لا تُرسل أي أحداث إلى نقطة نهاية Webhook في {endpoint}: فشلت كل المحاولات طوال خمسة أيام.",
  endpointGoneText:
    "منذ {date} لا تُرسل أي أحداث إلى نقطة نهاية Webhook في {endpoint}: أجابت بأنها لم تعد موجودة (410).",
  endpointAction: "عرض نقطة النهاية",
  endpointAdvice: "عندما يعمل المُستقبِل مجددًا، فعّل نقطة النهاية هناك وأعد إرسال ما فات.",
  endpointWhy: "تصلك هذه الرسالة لأنك من مالكي {organization}.",
  passkeyAddedSubject: "أُضيف مفتاح مرور إلى حسابك لدى {organization}",
  passkeyAddedText:
    "أُضيف مفتاح المرور «{passkey}» بتاريخ {date} إلى حسابك لدى {organization}. ويمكن استخدامه لتسجيل الدخول.",
  passkeyRemovedSubject: "أُزيل مفتاح مرور من حسابك لدى {organization}",
  passkeyRemovedText:
    "أُزيل مفتاح المرور «{passkey}» بتاريخ {date} من حسابك لدى {organization}. ولم يعد ممكنًا استخدامه لتسجيل الدخول.",
  passkeyUnasked: "إذا لم تكن أنت من فعل ذلك، فغيّر كلمة المرور وأزل ما لا تعرفه.",
  passkeyAction: "مراجعة الحساب",
};

export const he: AccountMailTexts = {
  greeting: "שלום {name},",
  invitationSubject: "הזמנה אל {organization}",
  invitationText: "הוזמנת ללוח הבקרה של {organization}. כדי להתחיל, יש לבחור סיסמה.",
  invitationAction: "קבלת ההזמנה",
  resetSubject: "הסיסמה שלך אצל {organization}",
  resetText: "התקבלה בקשה לסיסמה חדשה לחשבון שלך אצל {organization}.",
  resetAction: "בחירת סיסמה חדשה",
  resetUnasked: "אם הבקשה לא באה ממך, אין צורך לעשות דבר: הסיסמה נשארת כפי שהיא.",
  expires: "אפשר להשתמש בקישור פעם אחת, עד {date}.",
  private: "הקישור מיועד רק לך. אין להעביר את ההודעה הזאת הלאה.",
  lockoutSubject: "החשבון שלך אצל {organization} נעול למשך 15 דקות",
  lockoutText: "היו עשרה ניסיונות כושלים להיכנס לחשבון שלך אצל {organization}. הוא נעול למשך 15 דקות וייפתח מעצמו.",
  lockoutUnasked: "אם הניסיונות לא באו ממך, מישהו מנסה לנחש את הסיסמה שלך. כדאי לוודא שאינה בשימוש במקום אחר.",
  endpointSubject: "נקודת קצה של Webhook של {organization} הושבתה",
  endpointFailingText:
    "מאז {date} לא נשלחים אירועים לנקודת הקצה של Webhook ב-{endpoint}: במשך חמישה ימים כל הניסיונות נכשלו.",
  endpointGoneText:
    "מאז {date} לא נשלחים אירועים לנקודת הקצה של Webhook ב-{endpoint}: היא השיבה שאינה קיימת עוד (410).",
  endpointAction: "צפייה בנקודת הקצה",
  endpointAdvice: "כשהצד המקבל יפעל שוב, יש להפעיל בו את נקודת הקצה ולשלוח מחדש את מה שהוחמץ.",
  endpointWhy: "ההודעה נשלחה אליך משום שהארגון {organization} בבעלותך.",
  passkeyAddedSubject: "נוסף מפתח גישה לחשבונך ב-{organization}",
  passkeyAddedText: "מפתח הגישה „{passkey}” נוסף ב-{date} לחשבונך ב-{organization}. אפשר להתחבר באמצעותו.",
  passkeyRemovedSubject: "מפתח גישה הוסר מחשבונך ב-{organization}",
  passkeyRemovedText: "מפתח הגישה „{passkey}” הוסר ב-{date} מחשבונך ב-{organization}. אי אפשר עוד להתחבר באמצעותו.",
  passkeyUnasked: "אם לא אתם עשיתם זאת, שנו את הסיסמה והסירו את מה שאינכם מזהים.",
  passkeyAction: "בדיקת החשבון",
};
