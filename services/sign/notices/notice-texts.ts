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
  readonly unlock: string;
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
    locked: "Verification locked",
  },
  news: {
    viewed: "{person} opened “{subject}”.",
    signed: "{person} finished their part of “{subject}”.",
    declined: "{person} declined “{subject}”. It has ended for everyone.",
    completed: "Everyone has finished “{subject}”. The sealed documents and the certificate are ready.",
    expiring: "“{subject}” expires on {date}.",
    expired: "“{subject}” wasn’t finished in time and has expired.",
    undelivered: "The email to {person} about “{subject}” bounced.",
    locked: "{person} entered too many wrong codes for “{subject}”, and can’t open it now.",
  },
  reason: "Reason: {reason}",
  stillOpen: "Not finished yet: {people}",
  anotherAddress: "Open the agreement to enter another address. The link in the old email stops working then.",
  unlock: "Ask {person} whether it was them. Open the agreement to let them try again, or to set another code.",
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
    locked: "Prüfung gesperrt",
  },
  news: {
    viewed: "{person} hat „{subject}“ geöffnet.",
    signed: "{person} ist mit „{subject}“ fertig.",
    declined: "{person} hat „{subject}“ abgelehnt. Damit ist es für alle beendet.",
    completed: "Alle sind mit „{subject}“ fertig. Die versiegelten Dokumente und das Zertifikat liegen bereit.",
    expiring: "„{subject}“ läuft am {date} ab.",
    expired: "„{subject}“ wurde nicht rechtzeitig fertig und ist abgelaufen.",
    undelivered: "Eine E-Mail an {person} zu „{subject}“ kam zurück.",
    locked: "{person} hat zu viele falsche Codes für „{subject}“ eingegeben und kann es nun nicht öffnen.",
  },
  reason: "Grund: {reason}",
  stillOpen: "Noch nicht fertig: {people}",
  anotherAddress:
    "Öffnen Sie die Vereinbarung, um eine andere Adresse einzugeben. Der Link in der alten E-Mail gilt dann nicht mehr.",
  unlock:
    "Fragen Sie {person}, ob die Eingaben von ihm oder ihr waren. Öffnen Sie die Vereinbarung, um weitere Versuche zu erlauben oder einen anderen Code festzulegen.",
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
    locked: "Vérification bloquée",
  },
  news: {
    viewed: "{person} a ouvert « {subject} ».",
    signed: "{person} a terminé sa partie de « {subject} ».",
    declined: "{person} a refusé « {subject} », qui prend fin pour tous.",
    completed: "Tout le monde a terminé « {subject} ». Les documents scellés et le certificat sont prêts.",
    expiring: "« {subject} » expire le {date}.",
    expired: "« {subject} » n’a pas été terminé à temps et a expiré.",
    undelivered: "Un message à {person} au sujet de « {subject} » est revenu.",
    locked: "{person} a saisi trop de codes erronés pour « {subject} » et ne peut plus l’ouvrir.",
  },
  reason: "Motif : {reason}",
  stillOpen: "Pas encore terminé : {people}",
  anotherAddress:
    "Ouvrez l’accord pour saisir une autre adresse. Le lien de l’ancien message cesse alors de fonctionner.",
  unlock:
    "Demandez à {person} si c’était bien cette personne. Ouvrez l’accord pour autoriser de nouveaux essais ou définir un autre code.",
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
    locked: "Verificación bloqueada",
  },
  news: {
    viewed: "{person} ha abierto «{subject}».",
    signed: "{person} ha terminado su parte de «{subject}».",
    declined: "{person} ha rechazado «{subject}», que termina para todos.",
    completed: "Todos han terminado «{subject}». Los documentos sellados y el certificado están listos.",
    expiring: "«{subject}» caduca el {date}.",
    expired: "«{subject}» no se terminó a tiempo y ha caducado.",
    undelivered: "Un correo a {person} sobre «{subject}» ha sido devuelto.",
    locked: "{person} ha introducido demasiados códigos erróneos para «{subject}» y ahora no puede abrirlo.",
  },
  reason: "Motivo: {reason}",
  stillOpen: "Sin terminar: {people}",
  anotherAddress:
    "Abra el acuerdo para indicar otra dirección. El enlace del correo anterior deja entonces de funcionar.",
  unlock: "Pregunte a {person} si fue quien lo hizo. Abra el acuerdo para permitir más intentos o fijar otro código.",
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
    locked: "Verificação bloqueada",
  },
  news: {
    viewed: "{person} abriu “{subject}”.",
    signed: "{person} concluiu sua parte de “{subject}”.",
    declined: "{person} recusou “{subject}”, que terminou para todos.",
    completed: "Todos concluíram “{subject}”. Os documentos selados e o certificado estão prontos.",
    expiring: "“{subject}” expira em {date}.",
    expired: "“{subject}” não foi concluído a tempo e expirou.",
    undelivered: "Um email para {person} sobre “{subject}” foi devolvido.",
    locked: "{person} digitou códigos errados demais para “{subject}” e agora não consegue abrir.",
  },
  reason: "Motivo: {reason}",
  stillOpen: "Ainda não concluíram: {people}",
  anotherAddress: "Abra o acordo para informar outro endereço. O link do email anterior deixa então de funcionar.",
  unlock:
    "Pergunte a {person} se foi quem fez isso. Abra o acordo para permitir novas tentativas ou definir outro código.",
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
    locked: "確認がロックされました",
  },
  news: {
    viewed: "{person} さんが「{subject}」を開きました。",
    signed: "{person} さんが「{subject}」の手続きを終えました。",
    declined: "{person} さんが「{subject}」を辞退したため、終了しました。",
    completed: "全員が「{subject}」を終えました。封印された文書と証明書をご覧いただけます。",
    expiring: "「{subject}」の期限は {date} です。",
    expired: "「{subject}」は期限までに完了せず、終了しました。",
    undelivered: "「{subject}」について {person} さんに送ったメールが届きませんでした。",
    locked: "{person} さんが「{subject}」で誤ったコードを何度も入力したため、現在は開けません。",
  },
  reason: "理由: {reason}",
  stillOpen: "未完了: {people}",
  anotherAddress: "別のアドレスを入力するには、契約を開いてください。以前のメールのリンクは使えなくなります。",
  unlock:
    "本人の操作かどうかを {person} さんに確認してください。再試行を許可するか別のコードを設定するには、契約を開いてください。",
  open: "契約を開く",
  digestSubject: "契約のお知らせ（{count}件）",
  digestText: "前回のまとめ以降:",
  digestOpen: "契約の一覧を開く",
  why: "このメールは、あなたまたは {organization} のアプリケーションが送信した契約のお知らせです。内容はダッシュボードのアカウント設定で選べます。",
  stop: "この種のメールをすべて停止する",
};

const it: NoticeTexts = {
  greeting: "Buongiorno {name},",
  titles: {
    viewed: "Aperto",
    signed: "Firmato",
    declined: "Rifiutato",
    completed: "Concluso",
    expiring: "Scade presto",
    expired: "Scaduto",
    undelivered: "E-mail respinta",
    locked: "Verifica bloccata",
  },
  news: {
    viewed: "{person} ha aperto «{subject}».",
    signed: "{person} ha concluso la propria parte di «{subject}».",
    declined: "{person} ha rifiutato «{subject}», che si chiude per tutti.",
    completed: "Tutti hanno concluso «{subject}». I documenti sigillati e il certificato sono pronti.",
    expiring: "«{subject}» scade il {date}.",
    expired: "«{subject}» non è stato concluso in tempo ed è scaduto.",
    undelivered: "Un’e-mail a {person} su «{subject}» è stata respinta.",
    locked: "{person} ha inserito troppi codici errati per «{subject}» e ora non può aprirlo.",
  },
  reason: "Motivo: {reason}",
  stillOpen: "Devono ancora concludere: {people}",
  anotherAddress:
    "Apra l’accordo per inserire un altro indirizzo. Il link dell’e-mail precedente smette allora di funzionare.",
  unlock:
    "Chieda a {person} se i tentativi sono suoi. Apra l’accordo per consentire altri tentativi o impostare un altro codice.",
  open: "Apri l’accordo",
  digestSubject: "Novità sui Suoi accordi ({count})",
  digestText: "Dall’ultimo riepilogo:",
  digestOpen: "Apri gli accordi",
  why: "Riceve questo messaggio perché viene informato degli accordi inviati da Lei o da applicazioni di {organization}. Scelga quali nella dashboard, nel Suo account.",
  stop: "Disattiva tutte le e-mail di questo tipo",
};

const ptPt: NoticeTexts = {
  greeting: "Olá, {name},",
  titles: {
    viewed: "Aberto",
    signed: "Assinado",
    declined: "Recusado",
    completed: "Concluído",
    expiring: "Expira em breve",
    expired: "Expirado",
    undelivered: "E-mail devolvido",
    locked: "Verificação bloqueada",
  },
  news: {
    viewed: "{person} abriu “{subject}”.",
    signed: "{person} concluiu a sua parte de “{subject}”.",
    declined: "{person} recusou “{subject}”, que terminou para todos.",
    completed: "Todos concluíram “{subject}”. Os documentos selados e o certificado estão disponíveis.",
    expiring: "“{subject}” expira em {date}.",
    expired: "“{subject}” não foi concluído a tempo e expirou.",
    undelivered: "Um e-mail para {person} sobre “{subject}” foi devolvido.",
    locked: "{person} introduziu demasiados códigos errados para “{subject}” e agora não o consegue abrir.",
  },
  reason: "Motivo: {reason}",
  stillOpen: "Ainda não concluíram: {people}",
  anotherAddress: "Abra o acordo para indicar outro endereço. A ligação do e-mail anterior deixa então de funcionar.",
  unlock:
    "Pergunte a {person} se foi quem o fez. Abra o acordo para permitir novas tentativas ou definir outro código.",
  open: "Abrir o acordo",
  digestSubject: "Novidades dos seus acordos ({count})",
  digestText: "Desde o último resumo:",
  digestOpen: "Abrir os seus acordos",
  why: "Recebe esta mensagem porque é informado dos acordos que enviou ou que aplicações de {organization} enviaram. Escolha quais no painel, na sua conta.",
  stop: "Desativar todos os e-mails deste tipo",
};

const nl: NoticeTexts = {
  greeting: "Beste {name},",
  titles: {
    viewed: "Geopend",
    signed: "Ondertekend",
    declined: "Geweigerd",
    completed: "Voltooid",
    expiring: "Verloopt binnenkort",
    expired: "Verlopen",
    undelivered: "E-mail onbestelbaar",
    locked: "Controle geblokkeerd",
  },
  news: {
    viewed: "{person} heeft “{subject}” geopend.",
    signed: "{person} is klaar met “{subject}”.",
    declined: "{person} heeft “{subject}” geweigerd. Daarmee is het voor iedereen beëindigd.",
    completed: "Iedereen is klaar met “{subject}”. De verzegelde documenten en het certificaat staan klaar.",
    expiring: "“{subject}” verloopt op {date}.",
    expired: "“{subject}” was niet op tijd klaar en is verlopen.",
    undelivered: "Een e-mail aan {person} over “{subject}” kwam terug.",
    locked: "{person} heeft te veel verkeerde codes voor “{subject}” ingevoerd en kan het nu niet openen.",
  },
  reason: "Reden: {reason}",
  stillOpen: "Nog niet klaar: {people}",
  anotherAddress:
    "Open de overeenkomst om een ander adres in te vullen. De link in de oude e-mail werkt dan niet meer.",
  unlock:
    "Vraag {person} of hij of zij dit was. Open de overeenkomst om nieuwe pogingen toe te staan of een andere code in te stellen.",
  open: "Overeenkomst openen",
  digestSubject: "Nieuws over uw overeenkomsten ({count})",
  digestText: "Sinds het vorige overzicht:",
  digestOpen: "Overeenkomsten openen",
  why: "U krijgt deze e-mail omdat u bericht krijgt over overeenkomsten die u of toepassingen van {organization} hebben verzonden. Kies in het dashboard, bij uw account, over welke.",
  stop: "Alle e-mails van deze soort uitschakelen",
};

const pl: NoticeTexts = {
  greeting: "Dzień dobry, {name}!",
  titles: {
    viewed: "Otwarto",
    signed: "Podpisano",
    declined: "Odmówiono",
    completed: "Zakończono",
    expiring: "Wkrótce wygasa",
    expired: "Termin minął",
    undelivered: "E-mail niedoręczony",
    locked: "Weryfikacja zablokowana",
  },
  news: {
    viewed: "Umowę „{subject}” otwiera: {person}.",
    signed: "Swoją część umowy „{subject}” kończy: {person}.",
    declined: "Umowę „{subject}” odrzuca: {person}. Sprawa jest zamknięta dla wszystkich.",
    completed: "Wszyscy zakończyli „{subject}”. Opieczętowane dokumenty i certyfikat są gotowe.",
    expiring: "„{subject}” wygasa {date}.",
    expired: "„{subject}” nie zakończono na czas; termin minął.",
    undelivered: "E-mail dotyczący „{subject}” nie został doręczony. Odbiorca: {person}.",
    locked: "Za dużo błędnych kodów do „{subject}”. Osoba: {person}. Otwarcie nie jest teraz możliwe.",
  },
  reason: "Powód: {reason}",
  stillOpen: "Jeszcze nie skończyli: {people}",
  anotherAddress: "Otwórz umowę, aby podać inny adres. Link ze starej wiadomości przestanie wtedy działać.",
  unlock: "Zapytaj, czy to {person} wpisuje kody. Otwórz umowę, aby pozwolić na kolejne próby lub ustawić inny kod.",
  open: "Otwórz umowę",
  digestSubject: "Nowości w Twoich umowach ({count})",
  digestText: "Od ostatniego podsumowania:",
  digestOpen: "Otwórz umowy",
  why: "Otrzymujesz tę wiadomość, ponieważ informujemy Cię o umowach wysłanych przez Ciebie lub przez aplikacje organizacji {organization}. O których, wybierzesz w panelu, na swoim koncie.",
  stop: "Wyłącz wszystkie wiadomości tego rodzaju",
};

const zh: NoticeTexts = {
  greeting: "{name}，您好：",
  titles: {
    viewed: "已打开",
    signed: "已签署",
    declined: "已拒绝",
    completed: "已完成",
    expiring: "即将过期",
    expired: "已过期",
    undelivered: "邮件被退回",
    locked: "验证已锁定",
  },
  news: {
    viewed: "{person} 已打开“{subject}”。",
    signed: "{person} 已完成“{subject}”中自己的部分。",
    declined: "{person} 已拒绝“{subject}”，该协议已对所有人终止。",
    completed: "所有人均已完成“{subject}”。加盖电子印章的文件和证书已就绪。",
    expiring: "“{subject}”将于 {date} 过期。",
    expired: "“{subject}”未能按时完成，已过期。",
    undelivered: "发给 {person} 的关于“{subject}”的邮件被退回。",
    locked: "{person} 为“{subject}”输入了过多错误的验证码，目前无法打开。",
  },
  reason: "原因：{reason}",
  stillOpen: "尚未完成：{people}",
  anotherAddress: "打开协议即可填写其他地址。旧邮件中的链接届时将失效。",
  unlock: "请向 {person} 确认是否为本人操作。打开协议即可允许重试，或设置其他验证码。",
  open: "打开协议",
  digestSubject: "您的协议动态（{count}）",
  digestText: "自上次汇总以来：",
  digestOpen: "打开您的协议",
  why: "您收到此邮件，是因为您会收到由您或 {organization} 的应用程序发送的协议的通知。可在控制面板的账户中选择通知内容。",
  stop: "停用所有此类邮件",
};

const ar: NoticeTexts = {
  greeting: "مرحبًا {name}،",
  titles: {
    viewed: "فُتح",
    signed: "تم التوقيع",
    declined: "رُفض",
    completed: "اكتمل",
    expiring: "تنتهي مهلته قريبًا",
    expired: "انتهت المهلة",
    undelivered: "رسالة مرتدة",
    locked: "التحقق مقفل",
  },
  news: {
    viewed: "فتح {person} «{subject}».",
    signed: "أنهى {person} ما عليه في «{subject}».",
    declined: "رفض {person} «{subject}»، فانتهى بالنسبة إلى الجميع.",
    completed: "أنهى الجميع «{subject}». المستندات المختومة والشهادة جاهزة.",
    expiring: "تنتهي مهلة «{subject}» في {date}.",
    expired: "لم يكتمل «{subject}» في الوقت المحدد وانتهت مهلته.",
    undelivered: "ارتدّت رسالة إلى {person} بشأن «{subject}».",
    locked: "أدخل {person} رموزًا خاطئة كثيرة لـ«{subject}»، ولا يمكنه فتحها الآن.",
  },
  reason: "السبب: {reason}",
  stillOpen: "لم يُنهِ بعد: {people}",
  anotherAddress: "افتح الاتفاقية لإدخال عنوان آخر. عندئذٍ يتوقف الرابط الوارد في الرسالة القديمة عن العمل.",
  unlock: "اسأل {person} إن كان هو من فعل ذلك. افتح الاتفاقية للسماح بمحاولات أخرى أو لتعيين رمز آخر.",
  open: "فتح الاتفاقية",
  digestSubject: "جديد اتفاقياتك ({count})",
  digestText: "منذ الملخّص الأخير:",
  digestOpen: "فتح اتفاقياتك",
  why: "تصلك هذه الرسالة لأنك تُبلَّغ بالاتفاقيات التي أرسلتها أنت أو تطبيقات {organization}. اختر ما تريده من لوحة التحكم، في حسابك.",
  stop: "إيقاف جميع الرسائل من هذا النوع",
};

const he: NoticeTexts = {
  greeting: "שלום {name},",
  titles: {
    viewed: "נפתח",
    signed: "נחתם",
    declined: "נדחה",
    completed: "הושלם",
    expiring: "יפוג בקרוב",
    expired: "פג התוקף",
    undelivered: "הדואר חזר",
    locked: "האימות ננעל",
  },
  news: {
    viewed: "“{subject}” נפתח בידי {person}.",
    signed: "החלק של {person} ב“{subject}” הושלם.",
    declined: "“{subject}” נדחה בידי {person}, והסתיים עבור כולם.",
    completed: "כולם סיימו את “{subject}”. המסמכים עם החותם והתעודה מוכנים.",
    expiring: "התוקף של “{subject}” יפוג ב־{date}.",
    expired: "“{subject}” לא הושלם בזמן ותוקפו פג.",
    undelivered: "הודעת דואר אל {person} בעניין “{subject}” חזרה.",
    locked: "הוזנו יותר מדי קודים שגויים עבור “{subject}” בידי {person}, וכעת אי אפשר לפתוח אותו.",
  },
  reason: "סיבה: {reason}",
  stillOpen: "טרם סיימו: {people}",
  anotherAddress: "יש לפתוח את ההסכם כדי להזין כתובת אחרת. הקישור בהודעה הישנה יפסיק אז לפעול.",
  unlock:
    "כדאי לברר עם {person} אם אלה היו ניסיונות שלו או שלה. יש לפתוח את ההסכם כדי לאפשר ניסיונות נוספים או לקבוע קוד אחר.",
  open: "פתיחת ההסכם",
  digestSubject: "חדשות על ההסכמים שלך ({count})",
  digestText: "מאז הסיכום האחרון:",
  digestOpen: "פתיחת ההסכמים",
  why: "ההודעה נשלחה כי נשלחות אליך הודעות על הסכמים ששלחת או שנשלחו בידי יישומים של {organization}. אפשר לבחור אילו בלוח הבקרה, בחשבון שלך.",
  stop: "הפסקת כל ההודעות מהסוג הזה",
};

export const noticeLanguages = {
  ...{ en, de, fr, es, it, "pt-BR": ptBr, "pt-PT": ptPt },
  ...{ nl, pl, ja, "zh-Hans": zh, ar, he },
};

export const noticeLanguage = inLanguages<NoticeTexts>(noticeLanguages);
