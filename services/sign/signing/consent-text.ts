import { createHash } from "node:crypto";

/** What a person is shown before they agree to electronic records, in one language. */
export interface ConsentText {
  /** BCP 47. */
  readonly locale: string;
  readonly introduction: string;
  readonly points: readonly string[];
  /** What the person agrees to. */
  readonly agreement: string;
  /** All of it, a line for each part: what is kept. */
  readonly content: string;
  /** Of the content in UTF-8. */
  readonly sha256: Buffer;
}

/** The texts that a session serves, one for each language. */
export const consentTexts = (sender: string): readonly ConsentText[] =>
  Object.entries(words).map(([locale, { introduction: opening, points, agreement }]) => {
    const introduction = opening.replaceAll("{sender}", () => sender);
    const content = [introduction, ...points, agreement].join("\n");
    return { locale, introduction, points, agreement, content, sha256: createHash("sha256").update(content).digest() };
  });

interface Words {
  readonly introduction: string;
  readonly points: readonly string[];
  readonly agreement: string;
}

/** A word that changes makes another text, with another hash; what was agreed to before is kept as it was. */
const words: Readonly<Record<string, Words>> = {
  en: {
    introduction: "{sender} asks you to sign electronically. Please read this first:",
    points: [
      "You receive, read and sign the documents electronically; your electronic signature has the same intent as one by hand.",
      "You can download the documents here, before and after you sign, and keep or print them.",
      "You can decline, or ask the sender for paper instead. Nothing is signed until you choose Finish.",
      "The time, your IP address and your browser are recorded as evidence.",
    ],
    agreement: "I have read this and agree to use electronic records and signatures.",
  },
  de: {
    introduction: "{sender} bittet Sie, elektronisch zu unterschreiben. Bitte lesen Sie zuerst:",
    points: [
      "Sie erhalten, lesen und unterschreiben die Dokumente elektronisch; Ihre elektronische Unterschrift ist so gemeint wie eine von Hand.",
      "Sie können die Dokumente hier vor und nach dem Unterschreiben herunterladen, aufbewahren und drucken.",
      "Sie können ablehnen oder den Absender um Papier bitten. Nichts ist unterschrieben, bevor Sie Abschließen wählen.",
      "Zeitpunkt, IP-Adresse und Browser werden als Nachweis festgehalten.",
    ],
    agreement: "Ich habe das gelesen und bin mit elektronischen Dokumenten und Unterschriften einverstanden.",
  },
  fr: {
    introduction: "{sender} vous demande de signer par voie électronique. Veuillez d’abord lire ceci :",
    points: [
      "Vous recevez, lisez et signez les documents par voie électronique ; votre signature électronique exprime la même intention qu’une signature manuscrite.",
      "Vous pouvez télécharger les documents ici, avant et après avoir signé, les conserver et les imprimer.",
      "Vous pouvez refuser, ou demander une version papier à l’expéditeur. Rien n’est signé tant que vous n’avez pas choisi Terminer.",
      "L’heure, votre adresse IP et votre navigateur sont enregistrés comme preuve.",
    ],
    agreement: "J’ai lu ce qui précède et j’accepte les documents et signatures électroniques.",
  },
  es: {
    introduction: "{sender} le pide que firme electrónicamente. Lea primero lo siguiente:",
    points: [
      "Usted recibe, lee y firma los documentos electrónicamente; su firma electrónica tiene la misma intención que una firma manuscrita.",
      "Puede descargar los documentos aquí, antes y después de firmar, y guardarlos o imprimirlos.",
      "Puede rechazar la firma o pedir al remitente los documentos en papel. Nada queda firmado hasta que elija Finalizar.",
      "Se registran como prueba la hora, su dirección IP y su navegador.",
    ],
    agreement: "He leído lo anterior y acepto usar documentos y firmas electrónicos.",
  },
  "pt-BR": {
    introduction: "{sender} pede que você assine eletronicamente. Leia primeiro o seguinte:",
    points: [
      "Você recebe, lê e assina os documentos eletronicamente; sua assinatura eletrônica tem a mesma intenção de uma assinatura à mão.",
      "Você pode baixar os documentos aqui, antes e depois de assinar, e guardá-los ou imprimi-los.",
      "Você pode recusar ou pedir os documentos em papel ao remetente. Nada é assinado até que você escolha Concluir.",
      "O horário, seu endereço IP e seu navegador são registrados como prova.",
    ],
    agreement: "Li o texto acima e concordo em usar documentos e assinaturas eletrônicos.",
  },
  ja: {
    introduction: "{sender} から電子署名の依頼が届いています。はじめに次の内容をお読みください。",
    points: [
      "文書の受け取り、閲覧、署名を電子的に行います。電子署名は、手書きの署名と同じ意思を表します。",
      "署名の前でも後でも、ここから文書をダウンロードして保存や印刷ができます。",
      "署名を辞退することも、送信者に紙の文書を求めることもできます。「完了」を選ぶまで署名は成立しません。",
      "日時、IP アドレス、ブラウザーの情報が証拠として記録されます。",
    ],
    agreement: "上記を読み、電子文書と電子署名の利用に同意します。",
  },
  it: {
    introduction: "{sender} chiede di firmare elettronicamente. Leggere prima quanto segue:",
    points: [
      "I documenti si ricevono, si leggono e si firmano elettronicamente; la firma elettronica esprime la stessa volontà di una firma a mano.",
      "I documenti si possono scaricare qui, prima e dopo la firma, e conservare o stampare.",
      "È possibile rifiutare, oppure chiedere al mittente i documenti su carta. Nulla è firmato finché non si sceglie Concludi.",
      "Ora, indirizzo IP e browser vengono registrati come prova.",
    ],
    agreement: "Ho letto quanto sopra e accetto di usare documenti e firme elettronici.",
  },
  "pt-PT": {
    introduction: "{sender} pede-lhe que assine eletronicamente. Leia primeiro o seguinte:",
    points: [
      "Recebe, lê e assina os documentos eletronicamente; a sua assinatura eletrónica tem a mesma intenção de uma assinatura manuscrita.",
      "Pode transferir os documentos aqui, antes e depois de assinar, e guardá-los ou imprimi-los.",
      "Pode recusar ou pedir ao remetente os documentos em papel. Nada fica assinado até escolher Concluir.",
      "A hora, o seu endereço IP e o seu navegador são registados como prova.",
    ],
    agreement: "Li o texto acima e aceito usar documentos e assinaturas eletrónicos.",
  },
  nl: {
    introduction: "{sender} vraagt u elektronisch te ondertekenen. Lees eerst dit:",
    points: [
      "U ontvangt, leest en ondertekent de documenten elektronisch; met uw elektronische handtekening bedoelt u hetzelfde als met een handgeschreven handtekening.",
      "U kunt de documenten hier downloaden, voor en na het ondertekenen, en ze bewaren of afdrukken.",
      "U kunt weigeren, of de afzender om papier vragen. Er is niets ondertekend totdat u Voltooien kiest.",
      "Het tijdstip, uw IP-adres en uw browser worden als bewijs vastgelegd.",
    ],
    agreement: "Ik heb dit gelezen en ga akkoord met elektronische documenten en handtekeningen.",
  },
  pl: {
    introduction: "{sender} prosi o podpis elektroniczny. Najpierw przeczytaj:",
    points: [
      "Otrzymujesz, czytasz i podpisujesz dokumenty elektronicznie; Twój podpis elektroniczny wyraża tę samą wolę co podpis odręczny.",
      "Możesz tu pobrać dokumenty przed podpisaniem i po nim, a także je zachować lub wydrukować.",
      "Możesz odmówić albo poprosić nadawcę o dokumenty na papierze. Nic nie jest podpisane, dopóki nie wybierzesz „Zakończ”.",
      "Czas, Twój adres IP i przeglądarka są zapisywane jako dowód.",
    ],
    agreement: "Przeczytałem(-am) powyższe i zgadzam się na dokumenty i podpisy elektroniczne.",
  },
  "zh-Hans": {
    introduction: "{sender} 请您以电子方式签署。请先阅读以下内容：",
    points: [
      "您以电子方式接收、阅读和签署文件；您的电子签名与手写签名表达相同的意愿。",
      "您可以在签署前后在此下载文件，并保存或打印。",
      "您可以拒绝签署，或向发件人索取纸质文件。在您选择“完成”之前，任何内容都未签署。",
      "时间、您的 IP 地址和浏览器会作为证据记录。",
    ],
    agreement: "我已阅读以上内容，并同意使用电子文件和电子签名。",
  },
  ar: {
    introduction: "يطلب منك {sender} التوقيع إلكترونيًا. يُرجى قراءة ما يلي أولاً:",
    points: [
      "تستلم المستندات وتقرؤها وتوقّعها إلكترونيًا؛ ولتوقيعك الإلكتروني القصد نفسه الذي لتوقيعك بخط اليد.",
      "يمكنك تنزيل المستندات من هنا قبل التوقيع وبعده، والاحتفاظ بها أو طباعتها.",
      "يمكنك الرفض أو طلب نسخة ورقية من المُرسِل. لا يُعدّ أي شيء موقّعًا حتى تختار «إنهاء».",
      "يُسجَّل الوقت وعنوان IP والمتصفح كدليل.",
    ],
    agreement: "لقد قرأت ما سبق وأوافق على استخدام السجلات والتوقيعات الإلكترونية.",
  },
  he: {
    introduction: "{sender} מבקש ממך לחתום באופן אלקטרוני. יש לקרוא תחילה:",
    points: [
      "קבלת המסמכים, קריאתם והחתימה עליהם נעשות באופן אלקטרוני; לחתימתך האלקטרונית אותה כוונה כמו לחתימה ביד.",
      "אפשר להוריד כאן את המסמכים, לפני החתימה ואחריה, ולשמור או להדפיס אותם.",
      "אפשר לסרב, או לבקש מהשולח מסמכים על נייר. דבר אינו חתום עד לבחירה ב“סיום”.",
      "השעה, כתובת ה־IP והדפדפן נרשמים כראיה.",
    ],
    agreement: "קראתי את האמור לעיל ואני מסכים/ה להשתמש במסמכים ובחתימות אלקטרוניים.",
  },
};
