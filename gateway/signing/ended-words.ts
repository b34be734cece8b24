/** Why a link to an agreement shows no agreement; the last three are not its end. */
export type LinkEnd =
  | ("unknown" | "closed" | "declined" | "declined-by-you" | "voided" | "expired" | "completed")
  | ("correcting" | "busy" | "failed");

type EndedWords = Readonly<Record<LinkEnd, readonly [heading: string, text: string]>> & {
  readonly more: readonly [again: string, reference: string, report: string, asker: string];
};

/** What the page of a link without an agreement says, by language. */
export const endedWords = {
  en: {
    unknown: [
      "This link doesn’t work",
      "It’s incomplete, already used or too old. If it came by email, open it from the email again. Otherwise, ask the sender for a new one.",
    ],
    closed: ["This page was closed", "What you entered is saved. To continue, open the link in your email again."],
    declined: ["Declined", "Someone declined to sign. The agreement has ended, and you don’t need to do anything."],
    "declined-by-you": ["You declined", "You declined to sign. The agreement has ended for everyone."],
    voided: ["Withdrawn by the sender", "The sender withdrew the agreement. You don’t need to do anything."],
    expired: [
      "Expired",
      "The time to sign is over. If you still want to sign, ask the sender to send the agreement again.",
    ],
    completed: [
      "Completed",
      "Everyone has signed. The documents are no longer available through this link. Ask the sender for a copy.",
    ],
    correcting: ["Being changed right now", "The sender is changing the agreement. Try again in a few minutes."],
    busy: [
      "Please wait a moment",
      "We’re handling a lot of requests right now. Your link still works. Try again in a minute.",
    ],
    failed: ["That didn’t work", "Something went wrong on our side. Your link still works. Try again in a minute."],
    more: ["Try again", "Reference for support: {id}", "Report abuse", "Asked by {name}"],
  },
  de: {
    unknown: [
      "Dieser Link funktioniert nicht",
      "Er ist unvollständig, wurde schon verwendet oder ist zu alt. Wenn er per E-Mail kam, öffnen Sie ihn dort erneut. Bitten Sie sonst den Absender um einen neuen.",
    ],
    closed: [
      "Diese Seite wurde geschlossen",
      "Ihre Eingaben sind gespeichert. Öffnen Sie den Link in Ihrer E-Mail erneut, um fortzufahren.",
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
    correcting: [
      "Wird gerade geändert",
      "Der Absender ändert gerade den Vorgang. Versuchen Sie es in ein paar Minuten noch einmal.",
    ],
    busy: [
      "Einen Moment bitte",
      "Gerade ist zu viel los. Ihr Link funktioniert weiterhin: Versuchen Sie es in einer Minute erneut.",
    ],
    failed: [
      "Das hat nicht geklappt",
      "Bei uns ist etwas schiefgegangen. Ihr Link funktioniert weiterhin: Versuchen Sie es in einer Minute erneut.",
    ],
    more: ["Erneut versuchen", "Kennung für den Support: {id}", "Missbrauch melden", "Anfrage von {name}"],
  },
  fr: {
    unknown: [
      "Ce lien ne fonctionne pas",
      "Il est incomplet, a déjà servi ou est trop ancien. S’il est arrivé par e-mail, ouvrez-le de nouveau depuis l’e-mail. Sinon, demandez-en un autre à l’expéditeur.",
    ],
    closed: [
      "Cette page a été fermée",
      "Vos saisies sont enregistrées. Pour continuer, ouvrez de nouveau le lien reçu par e-mail.",
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
    correcting: [
      "Modification en cours",
      "L’expéditeur est en train de modifier le document. Réessayez dans quelques minutes.",
    ],
    busy: ["Un instant", "Il y a trop d’activité en ce moment. Votre lien reste valable : réessayez dans une minute."],
    failed: [
      "Cela n’a pas fonctionné",
      "Un problème est survenu de notre côté. Votre lien reste valable : réessayez dans une minute.",
    ],
    more: ["Réessayer", "Référence pour l’assistance : {id}", "Signaler un abus", "Demandé par {name}"],
  },
  es: {
    unknown: [
      "Este enlace no funciona",
      "Está incompleto, ya se ha usado o es demasiado antiguo. Si llegó por correo, ábralo de nuevo desde el correo. Si no, pida otro al remitente.",
    ],
    closed: [
      "Esta página se ha cerrado",
      "Lo que ha introducido está guardado. Para continuar, abra de nuevo el enlace de su correo.",
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
    correcting: [
      "Se está modificando",
      "El remitente está modificando el acuerdo. Vuelva a intentarlo dentro de unos minutos.",
    ],
    busy: [
      "Un momento, por favor",
      "Ahora mismo hay demasiada actividad. Su enlace sigue siendo válido: inténtelo de nuevo en un minuto.",
    ],
    failed: [
      "No ha funcionado",
      "Algo ha fallado por nuestra parte. Su enlace sigue siendo válido: inténtelo de nuevo en un minuto.",
    ],
    more: ["Reintentar", "Referencia para soporte: {id}", "Denunciar un abuso", "Solicitado por {name}"],
  },
  it: {
    unknown: [
      "Questo link non funziona",
      "È incompleto, è già stato usato o è troppo vecchio. Se è arrivato per e-mail, aprirlo di nuovo dall’e-mail. Altrimenti chiederne uno nuovo al mittente.",
    ],
    closed: [
      "Questa pagina è stata chiusa",
      "I dati inseriti sono salvati. Per continuare, aprire di nuovo il link ricevuto per e-mail.",
    ],
    declined: ["Rifiutato", "Qualcuno ha rifiutato di firmare. La richiesta è chiusa e non resta altro da fare."],
    "declined-by-you": ["Hai rifiutato", "Hai rifiutato di firmare. La richiesta è chiusa per tutti."],
    voided: ["Ritirato dal mittente", "Il mittente ha ritirato la richiesta. Non resta altro da fare."],
    expired: [
      "Scaduto",
      "Il termine per firmare è passato. Chi vuole ancora firmare può chiedere al mittente di inviare di nuovo la richiesta.",
    ],
    completed: [
      "Concluso",
      "Tutti hanno firmato. Con questo link non è più possibile leggere i documenti: chiederne una copia al mittente.",
    ],
    correcting: ["Modifica in corso", "Il mittente sta modificando il documento. Riprovi tra qualche minuto."],
    busy: ["Un momento", "In questo momento c’è troppo traffico. Il link è ancora valido: riprovare tra un minuto."],
    failed: [
      "Operazione non riuscita",
      "Si è verificato un problema da parte nostra. Il link è ancora valido: riprovare tra un minuto.",
    ],
    more: ["Riprova", "Riferimento per l’assistenza: {id}", "Segnala un abuso", "Richiesto da {name}"],
  },
  "pt-BR": {
    unknown: [
      "Este link não funciona",
      "Ele está incompleto, já foi usado ou é antigo demais. Se chegou por e-mail, abra-o de novo a partir do e-mail. Caso contrário, peça outro ao remetente.",
    ],
    closed: [
      "Esta página foi fechada",
      "O que você preencheu está salvo. Para continuar, abra de novo o link do seu e-mail.",
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
    correcting: ["Em alteração", "O remetente está alterando o acordo. Tente de novo em alguns minutos."],
    busy: ["Um momento, por favor", "Há muita atividade agora. Seu link continua válido: tente de novo em um minuto."],
    failed: ["Não funcionou", "Algo deu errado do nosso lado. Seu link continua válido: tente de novo em um minuto."],
    more: ["Tentar de novo", "Referência para o suporte: {id}", "Denunciar abuso", "Solicitado por {name}"],
  },
  "pt-PT": {
    unknown: [
      "Esta ligação não funciona",
      "Está incompleta, já foi usada ou é demasiado antiga. Se chegou por e-mail, abra-a de novo a partir do e-mail. Caso contrário, peça outra ao remetente.",
    ],
    closed: [
      "Esta página foi fechada",
      "O que preencheu está guardado. Para continuar, abra de novo a ligação do seu e-mail.",
    ],
    declined: ["Recusado", "Alguém recusou assinar. O pedido terminou e não tem mais nada a fazer."],
    "declined-by-you": ["Recusou assinar", "Recusou assinar. O pedido terminou para todos."],
    voided: ["Retirado pelo remetente", "O remetente retirou o pedido. Não tem mais nada a fazer."],
    expired: [
      "Expirado",
      "O prazo para assinar terminou. Se ainda quiser assinar, peça ao remetente que envie o pedido de novo.",
    ],
    completed: [
      "Concluído",
      "Todos assinaram. Os documentos já não podem ser lidos com esta ligação: peça uma cópia ao remetente.",
    ],
    correcting: ["Em alteração", "O remetente está a alterar o acordo. Tente novamente dentro de alguns minutos."],
    busy: [
      "Um momento, por favor",
      "Há demasiada atividade neste momento. A sua ligação continua válida: tente de novo dentro de um minuto.",
    ],
    failed: [
      "Não funcionou",
      "Algo correu mal do nosso lado. A sua ligação continua válida: tente de novo dentro de um minuto.",
    ],
    more: ["Tentar de novo", "Referência para a assistência: {id}", "Denunciar abuso", "Pedido por {name}"],
  },
  nl: {
    unknown: [
      "Deze link werkt niet",
      "Hij is onvolledig, al gebruikt of te oud. Kwam hij per e-mail? Open hem dan opnieuw vanuit de e-mail. Vraag anders de afzender om een nieuwe.",
    ],
    closed: [
      "Deze pagina is gesloten",
      "Wat u hebt ingevuld, is opgeslagen. Open de link in uw e-mail opnieuw om verder te gaan.",
    ],
    declined: [
      "Geweigerd",
      "Iemand heeft geweigerd te ondertekenen. Het verzoek is beëindigd; u hoeft niets meer te doen.",
    ],
    "declined-by-you": [
      "U hebt geweigerd",
      "U hebt geweigerd te ondertekenen. Het verzoek is voor iedereen beëindigd.",
    ],
    voided: ["Ingetrokken door de afzender", "De afzender heeft het verzoek ingetrokken. U hoeft niets meer te doen."],
    expired: [
      "Verlopen",
      "De termijn om te ondertekenen is voorbij. Wilt u nog ondertekenen? Vraag de afzender dan het verzoek opnieuw te sturen.",
    ],
    completed: [
      "Voltooid",
      "Iedereen heeft ondertekend. Met deze link kunt u de documenten niet meer lezen: vraag de afzender om een kopie.",
    ],
    correcting: [
      "Wordt nu gewijzigd",
      "De afzender wijzigt de overeenkomst. Probeer het over een paar minuten opnieuw.",
    ],
    busy: ["Een ogenblik", "Het is nu te druk. Uw link blijft werken: probeer het over een minuut opnieuw."],
    failed: [
      "Dat is niet gelukt",
      "Er ging bij ons iets mis. Uw link blijft werken: probeer het over een minuut opnieuw.",
    ],
    more: ["Opnieuw proberen", "Referentie voor ondersteuning: {id}", "Misbruik melden", "Gevraagd door {name}"],
  },
  pl: {
    unknown: [
      "Ten link nie działa",
      "Jest niekompletny, został już użyty albo jest zbyt stary. Jeśli przyszedł e-mailem, otwórz go ponownie z wiadomości. W przeciwnym razie poproś nadawcę o nowy.",
    ],
    closed: [
      "Strona została zamknięta",
      "Wpisane dane są zapisane. Aby kontynuować, otwórz ponownie link z wiadomości e-mail.",
    ],
    declined: ["Odmówiono", "Ktoś odmówił podpisania. Sprawa jest zamknięta i nie musisz już nic robić."],
    "declined-by-you": [
      "Odmówiono podpisania",
      "Podpisanie zostało przez Ciebie odrzucone. Sprawa jest zamknięta dla wszystkich.",
    ],
    voided: ["Wycofane przez nadawcę", "Nadawca wycofał prośbę o podpis. Nie musisz już nic robić."],
    expired: [
      "Termin minął",
      "Czas na podpisanie minął. Jeśli nadal chcesz podpisać, poproś nadawcę o ponowne wysłanie.",
    ],
    completed: [
      "Zakończono",
      "Wszyscy podpisali. Tego linku nie można już użyć do czytania dokumentów: poproś nadawcę o kopię.",
    ],
    correcting: ["Trwa zmiana", "Nadawca zmienia właśnie umowę. Spróbuj ponownie za kilka minut."],
    busy: ["Chwileczkę", "W tej chwili ruch jest zbyt duży. Link nadal działa: spróbuj ponownie za minutę."],
    failed: ["Nie udało się", "Wystąpił błąd po naszej stronie. Link nadal działa: spróbuj ponownie za minutę."],
    more: ["Spróbuj ponownie", "Numer dla pomocy technicznej: {id}", "Zgłoś nadużycie", "Prosi: {name}"],
  },
  ja: {
    unknown: [
      "このリンクは使えません",
      "リンクが不完全か、使用済みか、古すぎます。メールで届いたリンクは、メールからもう一度開いてください。それ以外の場合は、送信者に新しいリンクを依頼してください。",
    ],
    closed: [
      "このページは閉じられました",
      "入力内容は保存されています。続けるには、メールのリンクをもう一度開いてください。",
    ],
    declined: ["辞退されました", "署名が辞退されたため、この契約は終了しました。必要な操作はありません。"],
    "declined-by-you": ["署名を辞退しました", "あなたが署名を辞退したため、この契約は全員について終了しました。"],
    voided: ["送信者が取り消しました", "送信者がこの契約を取り消しました。必要な操作はありません。"],
    expired: ["期限切れ", "署名の期限が過ぎました。署名を希望する場合は、送信者に再送を依頼してください。"],
    completed: [
      "完了",
      "全員の署名が完了しました。このリンクで文書を読める期間は終わりました。送信者に写しを依頼してください。",
    ],
    correcting: ["変更中です", "送信者が契約を変更しています。数分後にもう一度お試しください。"],
    busy: [
      "少しお待ちください",
      "現在、混み合っています。リンクは引き続き使えます。1 分ほど後にもう一度お試しください。",
    ],
    failed: [
      "処理できませんでした",
      "こちらで問題が発生しました。リンクは引き続き使えます。1 分ほど後にもう一度お試しください。",
    ],
    more: ["もう一度試す", "お問い合わせ番号: {id}", "不正を報告", "依頼元：{name}"],
  },
  "zh-Hans": {
    unknown: [
      "此链接无法使用",
      "链接不完整、已使用过或已过期。如果它来自电子邮件，请从邮件中再次打开；否则请向发件人索取新链接。",
    ],
    closed: ["此页面已关闭", "您填写的内容已保存。要继续，请再次打开电子邮件中的链接。"],
    declined: ["已拒绝", "有人拒绝签署，协议已终止。您无需再做任何操作。"],
    "declined-by-you": ["您已拒绝", "您已拒绝签署，协议对所有人终止。"],
    voided: ["已被发件人撤回", "发件人已撤回该协议。您无需再做任何操作。"],
    expired: ["已过期", "签署期限已过。如果您仍想签署，请联系发件人重新发送。"],
    completed: ["已完成", "所有人均已签署。此链接已不能再用于阅读文件：请向发件人索取副本。"],
    correcting: ["正在更改", "发件人正在更改协议。请几分钟后再试。"],
    busy: ["请稍候", "目前访问过多。您的链接仍然有效：请一分钟后重试。"],
    failed: ["操作未成功", "我们这边出现了问题。您的链接仍然有效：请一分钟后重试。"],
    more: ["重试", "支持编号：{id}", "举报滥用", "请求方：{name}"],
  },
  ar: {
    unknown: [
      "هذا الرابط لا يعمل",
      "الرابط غير مكتمل أو سبق استخدامه أو قديم جدًا. إذا وصلك بالبريد الإلكتروني، فافتحه من الرسالة مرة أخرى. وإلا فاطلب رابطًا جديدًا من المُرسِل.",
    ],
    closed: ["أُغلقت هذه الصفحة", "ما أدخلته محفوظ. للمتابعة، افتح الرابط في رسالتك مرة أخرى."],
    declined: ["تم الرفض", "رفض أحد الأشخاص التوقيع. انتهت الاتفاقية، ولم يعد عليك فعل أي شيء."],
    "declined-by-you": ["لقد رفضت", "لقد رفضت التوقيع. انتهت الاتفاقية بالنسبة إلى الجميع."],
    voided: ["سحبها المُرسِل", "سحب المُرسِل الاتفاقية. لم يعد عليك فعل أي شيء."],
    expired: [
      "انتهت المهلة",
      "انتهت مهلة التوقيع. إذا كنت لا تزال تريد التوقيع، فاطلب من المُرسِل إعادة إرسال الاتفاقية.",
    ],
    completed: ["اكتملت", "وقّع الجميع. لم يعد بالإمكان قراءة المستندات بهذا الرابط: اطلب نسخة من المُرسِل."],
    correcting: ["قيد التغيير الآن", "يُجري المرسل تغييرًا على الاتفاقية. حاول مرة أخرى بعد بضع دقائق."],
    busy: ["لحظة من فضلك", "هناك ضغط كبير الآن. لا يزال رابطك يعمل: حاول مرة أخرى بعد دقيقة."],
    failed: ["لم تنجح العملية", "حدث خطأ من جانبنا. لا يزال رابطك يعمل: حاول مرة أخرى بعد دقيقة."],
    more: ["إعادة المحاولة", "الرقم المرجعي للدعم: {id}", "الإبلاغ عن إساءة", "الطلب من {name}"],
  },
  he: {
    unknown: [
      "הקישור הזה לא פועל",
      "הוא חלקי, כבר נוצל או ישן מדי. אם הגיע בדוא״ל, יש לפתוח אותו שוב מההודעה. אחרת יש לבקש מהשולח קישור חדש.",
    ],
    closed: ["הדף נסגר", "מה שמולא נשמר. כדי להמשיך יש לפתוח שוב את הקישור שבדוא״ל."],
    declined: ["נדחה", "מישהו סירב לחתום. ההסכם הסתיים, ולא נותר לך מה לעשות."],
    "declined-by-you": ["סירבת לחתום", "סירבת לחתום. ההסכם הסתיים עבור כולם."],
    voided: ["בוטל בידי השולח", "השולח ביטל את ההסכם. לא נותר לך מה לעשות."],
    expired: ["פג התוקף", "המועד לחתימה עבר. אם עדיין רוצים לחתום, יש לבקש מהשולח לשלוח את ההסכם שוב."],
    completed: ["הושלם", "כולם חתמו. אי אפשר עוד לקרוא את המסמכים בקישור הזה: יש לבקש מהשולח העתק."],
    correcting: ["בתהליך שינוי", "ההסכם משתנה כעת בידי השולח. אפשר לנסות שוב בעוד כמה דקות."],
    busy: ["רק רגע", "יש כרגע עומס רב. הקישור עדיין תקף: אפשר לנסות שוב בעוד דקה."],
    failed: ["הפעולה לא הצליחה", "אירעה תקלה אצלנו. הקישור עדיין תקף: אפשר לנסות שוב בעוד דקה."],
    more: ["ניסיון נוסף", "מספר לפנייה לתמיכה: {id}", "דיווח על שימוש לרעה", "הבקשה מאת {name}"],
  },
} as const satisfies Record<string, EndedWords>;
