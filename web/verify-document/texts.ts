import { languageFor } from "#platform/language.ts";

/** What the page says, in one language. */
export interface Texts {
  readonly title: string;
  readonly intro: string;
  readonly hint: string;
  readonly choose: string;
  readonly certificates: string;
  readonly busy: string;
  readonly insecure: string;
  readonly tooLarge: string;
  readonly away: string;
  readonly verdicts: Readonly<Record<VerdictKind, readonly [title: string, meaning: string]>>;
  /** With `{count}`, where the sealed part is on record, and where it is not. */
  readonly addedBytes: Readonly<Record<"known" | "unknown", string>>;
  readonly auditBroken: string;
  readonly facts: Readonly<
    Record<"document" | "subject" | "sender" | "completed" | "deleted" | "agreement" | "evidence" | "sha256", string>
  >;
  readonly certificateOf: string;
  readonly signers: string;
  readonly columns: readonly [name: string, role: string, status: string];
  readonly roles: Readonly<Record<string, string>>;
  readonly statuses: Readonly<Record<string, string>>;
  readonly signatures: string;
  readonly ours: string;
  readonly others: string;
}

/** What can be said of a file. */
export type VerdictKind = "sealed" | "deleted" | "unknown" | "added" | "changed" | "foreign" | "none";

const en: Texts = {
  title: "Check a document",
  intro:
    "Find out whether a PDF was sealed here and is unchanged, and who has signed it. The file stays on this device: only its fingerprint (SHA-256) is sent.",
  hint: "Drop a PDF anywhere on this page, or choose it.",
  choose: "Choose a PDF",
  certificates: "The certificates that documents are sealed with",
  busy: "Checking…",
  insecure: "This page works over https only.",
  tooLarge: "The file is too large to have been sealed here.",
  away: "The check could not be made. Try again in a moment.",
  verdicts: {
    sealed: ["Sealed here and unchanged", "This is exactly the file that was sealed when everyone had signed."],
    deleted: [
      "Sealed here and unchanged; deleted since",
      "This is exactly a file that was sealed here when everyone had signed. The sender has deleted the agreement since, because the time for which it was kept was over.",
    ],
    unknown: [
      "A seal of ours, but not on record",
      "The signature was made with our key, but no file that was sealed here is this one byte for byte. Ask the sender before you rely on what it shows.",
    ],
    added: [
      "Something was added after it was sealed",
      "The sealed part is unchanged, but what you see may have been added: text, pages, remarks and values of fields can be replaced that way. Do not rely on this copy.",
    ],
    changed: [
      "Changed after it was sealed",
      "The file carries our seal, which does not fit its content. Do not rely on it.",
    ],
    foreign: ["Not sealed here", "The file has signatures of others, which this page does not judge."],
    none: ["Not sealed here", "The file has no seal. It may never have been signed, or is another copy."],
  },
  addedBytes: {
    known: "{count} bytes follow the sealed part. That part is exactly the document below; ask the sender for it.",
    unknown: "{count} bytes follow the sealed part. That part is not on record here.",
  },
  auditBroken: "The audit trail of the agreement is damaged. Ask the sender.",
  facts: {
    document: "Document",
    subject: "Subject",
    sender: "Sent by",
    completed: "Completed",
    deleted: "Deleted",
    agreement: "Agreement",
    evidence: "Entry in the sender’s evidence log",
    sha256: "SHA-256",
  },
  certificateOf: "Certificate of completion",
  signers: "Who has signed",
  columns: ["Name", "Role", "What and when"],
  roles: {
    signer: "Signer",
    approver: "Approver",
    certifiedDelivery: "Certified delivery",
    inPersonSigner: "In-person signer",
  },
  statuses: {
    created: "Waiting",
    sent: "Sent",
    delivered: "Opened",
    completed: "Completed",
    declined: "Declined",
  },
  signatures: "Signatures in the file",
  ours: "our seal",
  others: "someone else's",
};

const de: Texts = {
  title: "Dokument prüfen",
  intro:
    "Hier sehen Sie, ob ein PDF hier versiegelt wurde und unverändert ist, und wer es unterzeichnet hat. Die Datei bleibt auf diesem Gerät: Nur ihr Fingerabdruck (SHA-256) wird gesendet.",
  hint: "Ziehen Sie ein PDF auf diese Seite, oder wählen Sie es aus.",
  choose: "PDF auswählen",
  certificates: "Die Zertifikate, mit denen Dokumente versiegelt werden",
  busy: "Wird geprüft…",
  insecure: "Diese Seite funktioniert nur über https.",
  tooLarge: "Die Datei ist zu groß, um hier versiegelt worden zu sein.",
  away: "Die Prüfung war nicht möglich. Versuchen Sie es gleich noch einmal.",
  verdicts: {
    sealed: ["Hier versiegelt und unverändert", "Genau diese Datei wurde versiegelt, als alle unterzeichnet hatten."],
    deleted: [
      "Hier versiegelt und unverändert; inzwischen gelöscht",
      "Genau diese Datei wurde hier versiegelt, als alle unterzeichnet hatten. Der Absender hat die Vereinbarung seither gelöscht, weil ihre Aufbewahrungsfrist abgelaufen war.",
    ],
    unknown: [
      "Ein Siegel von uns, aber nicht verzeichnet",
      "Die Signatur wurde mit unserem Schlüssel erstellt, aber keine hier versiegelte Datei gleicht dieser Byte für Byte. Fragen Sie den Absender, bevor Sie sich auf den Inhalt verlassen.",
    ],
    added: [
      "Nach dem Versiegeln wurde etwas hinzugefügt",
      "Der versiegelte Teil ist unverändert, aber was Sie sehen, kann hinzugefügt sein: Text, Seiten, Anmerkungen und Werte von Feldern lassen sich so ersetzen. Verlassen Sie sich nicht auf diese Fassung.",
    ],
    changed: [
      "Nach dem Versiegeln verändert",
      "Die Datei trägt unser Siegel, das nicht zu ihrem Inhalt passt. Verlassen Sie sich nicht auf sie.",
    ],
    foreign: ["Nicht hier versiegelt", "Die Datei hat Signaturen anderer, die diese Seite nicht beurteilt."],
    none: [
      "Nicht hier versiegelt",
      "Die Datei hat kein Siegel. Vielleicht wurde sie nie unterzeichnet, oder sie ist eine andere Fassung.",
    ],
  },
  addedBytes: {
    known:
      "{count} Bytes folgen auf den versiegelten Teil. Dieser Teil ist genau das unten genannte Dokument; lassen Sie es sich vom Absender geben.",
    unknown: "{count} Bytes folgen auf den versiegelten Teil. Dieser Teil ist hier nicht verzeichnet.",
  },
  auditBroken: "Das Protokoll der Vereinbarung ist beschädigt. Fragen Sie beim Absender nach.",
  facts: {
    document: "Dokument",
    subject: "Betreff",
    sender: "Gesendet von",
    completed: "Abgeschlossen",
    deleted: "Gelöscht",
    agreement: "Vereinbarung",
    evidence: "Eintrag im Beweisprotokoll des Absenders",
    sha256: "SHA-256",
  },
  certificateOf: "Abschlusszertifikat",
  signers: "Wer unterzeichnet hat",
  columns: ["Name", "Rolle", "Was und wann"],
  roles: {
    signer: "Unterzeichner",
    approver: "Genehmiger",
    certifiedDelivery: "Zustellung mit Nachweis",
    inPersonSigner: "Unterzeichner vor Ort",
  },
  statuses: {
    created: "Wartet",
    sent: "Gesendet",
    delivered: "Geöffnet",
    completed: "Abgeschlossen",
    declined: "Abgelehnt",
  },
  signatures: "Signaturen in der Datei",
  ours: "unser Siegel",
  others: "von jemand anderem",
};

const fr: Texts = {
  title: "Vérifier un document",
  intro:
    "Vérifiez si un PDF a été scellé ici et n’a pas été modifié, et qui l’a signé. Le fichier reste sur cet appareil : seule son empreinte (SHA-256) est envoyée.",
  hint: "Déposez un PDF sur cette page ou choisissez-le.",
  choose: "Choisir un PDF",
  certificates: "Les certificats avec lesquels les documents sont scellés",
  busy: "Vérification…",
  insecure: "Cette page ne fonctionne qu’en https.",
  tooLarge: "Le fichier est trop volumineux pour avoir été scellé ici.",
  away: "La vérification n’a pas pu être faite. Réessayez dans un instant.",
  verdicts: {
    sealed: ["Scellé ici et inchangé", "C’est exactement le fichier qui a été scellé quand tout le monde a eu signé."],
    deleted: [
      "Scellé ici et inchangé ; supprimé depuis",
      "C’est exactement un fichier qui a été scellé ici quand tout le monde a eu signé. L’expéditeur a depuis supprimé l’accord, car sa durée de conservation était écoulée.",
    ],
    unknown: [
      "Un de nos sceaux, mais inconnu de nos registres",
      "La signature a été faite avec notre clé, mais aucun fichier scellé ici n’est identique à celui-ci octet par octet. Demandez à l’expéditeur avant de vous y fier.",
    ],
    added: [
      "Quelque chose a été ajouté après le scellement",
      "La partie scellée est inchangée, mais ce que vous voyez a pu être ajouté : du texte, des pages, des annotations et des valeurs de champs peuvent être remplacés ainsi. Ne vous fiez pas à cette copie.",
    ],
    changed: [
      "Modifié après le scellement",
      "Le fichier porte notre sceau, qui ne correspond pas à son contenu. Ne vous y fiez pas.",
    ],
    foreign: ["Pas scellé ici", "Le fichier porte des signatures de tiers, que cette page ne juge pas."],
    none: [
      "Pas scellé ici",
      "Le fichier n’a pas de sceau. Il n’a peut-être jamais été signé, ou c’est une autre copie.",
    ],
  },
  addedBytes: {
    known:
      "{count} octets suivent la partie scellée. Cette partie est exactement le document ci-dessous ; demandez-le à l’expéditeur.",
    unknown: "{count} octets suivent la partie scellée. Cette partie est inconnue de nos registres.",
  },
  auditBroken: "La piste d’audit de l’accord est endommagée. Demandez à l’expéditeur.",
  facts: {
    document: "Document",
    subject: "Objet",
    sender: "Envoyé par",
    completed: "Terminé",
    deleted: "Supprimé",
    agreement: "Accord",
    evidence: "Entrée dans le journal de preuves de l’expéditeur",
    sha256: "SHA-256",
  },
  certificateOf: "Certificat de signature",
  signers: "Qui a signé",
  columns: ["Nom", "Rôle", "Quoi et quand"],
  roles: {
    signer: "Signataire",
    approver: "Approbateur",
    certifiedDelivery: "Remise certifiée",
    inPersonSigner: "Signataire en personne",
  },
  statuses: {
    created: "En attente",
    sent: "Envoyé",
    delivered: "Ouvert",
    completed: "Terminé",
    declined: "Refusé",
  },
  signatures: "Signatures dans le fichier",
  ours: "notre sceau",
  others: "d’un tiers",
};

const es: Texts = {
  title: "Comprobar un documento",
  intro:
    "Compruebe si un PDF se selló aquí y no ha cambiado, y quién lo ha firmado. El archivo se queda en este dispositivo: solo se envía su huella (SHA-256).",
  hint: "Suelte un PDF en esta página o elíjalo.",
  choose: "Elegir un PDF",
  certificates: "Los certificados con los que se sellan los documentos",
  busy: "Comprobando…",
  insecure: "Esta página solo funciona con https.",
  tooLarge: "El archivo es demasiado grande para haberse sellado aquí.",
  away: "No se ha podido comprobar. Inténtelo de nuevo en un momento.",
  verdicts: {
    sealed: ["Sellado aquí y sin cambios", "Es exactamente el archivo que se selló cuando todos habían firmado."],
    deleted: [
      "Sellado aquí y sin cambios; eliminado después",
      "Es exactamente un archivo que se selló aquí cuando todos habían firmado. El remitente ha eliminado el acuerdo desde entonces, porque terminó su plazo de conservación.",
    ],
    unknown: [
      "Un sello nuestro, pero sin registro",
      "La firma se hizo con nuestra clave, pero ningún archivo sellado aquí es igual a este byte por byte. Pregunte al remitente antes de fiarse de lo que muestra.",
    ],
    added: [
      "Se añadió algo después de sellarlo",
      "La parte sellada no ha cambiado, pero lo que ve puede haberse añadido: así se pueden sustituir texto, páginas, comentarios y valores de campos. No se fíe de esta copia.",
    ],
    changed: [
      "Modificado después de sellarlo",
      "El archivo lleva nuestro sello, que no corresponde a su contenido. No se fíe de él.",
    ],
    foreign: ["No sellado aquí", "El archivo tiene firmas de otros, que esta página no juzga."],
    none: ["No sellado aquí", "El archivo no tiene sello. Puede que nunca se firmara o que sea otra copia."],
  },
  addedBytes: {
    known:
      "{count} bytes siguen a la parte sellada. Esa parte es exactamente el documento de abajo; pídaselo al remitente.",
    unknown: "{count} bytes siguen a la parte sellada. Esa parte no consta aquí.",
  },
  auditBroken: "El registro de auditoría del acuerdo está dañado. Pregunte al remitente.",
  facts: {
    document: "Documento",
    subject: "Asunto",
    sender: "Enviado por",
    completed: "Completado",
    deleted: "Eliminado",
    agreement: "Acuerdo",
    evidence: "Entrada en el registro de pruebas del remitente",
    sha256: "SHA-256",
  },
  certificateOf: "Certificado de finalización",
  signers: "Quién ha firmado",
  columns: ["Nombre", "Función", "Qué y cuándo"],
  roles: {
    signer: "Firmante",
    approver: "Aprobador",
    certifiedDelivery: "Entrega certificada",
    inPersonSigner: "Firmante en persona",
  },
  statuses: {
    created: "En espera",
    sent: "Enviado",
    delivered: "Abierto",
    completed: "Completado",
    declined: "Rechazado",
  },
  signatures: "Firmas en el archivo",
  ours: "nuestro sello",
  others: "de otra persona",
};

const it: Texts = {
  title: "Verifica un documento",
  intro:
    "Verifica se un PDF è stato sigillato qui e non è cambiato, e chi lo ha firmato. Il file resta su questo dispositivo: viene inviata solo la sua impronta (SHA-256).",
  hint: "Trascina un PDF su questa pagina oppure sceglilo.",
  choose: "Scegli un PDF",
  certificates: "I certificati con cui vengono sigillati i documenti",
  busy: "Verifica in corso…",
  insecure: "Questa pagina funziona solo con https.",
  tooLarge: "Il file è troppo grande per essere stato sigillato qui.",
  away: "Non è stato possibile eseguire la verifica. Riprova tra un momento.",
  verdicts: {
    sealed: ["Sigillato qui e invariato", "È esattamente il file sigillato quando tutti avevano firmato."],
    deleted: [
      "Sigillato qui e invariato; eliminato in seguito",
      "È esattamente un file sigillato qui quando tutti avevano firmato. Il mittente ha poi eliminato l’accordo, perché il periodo di conservazione era terminato.",
    ],
    unknown: [
      "Un nostro sigillo, ma non registrato",
      "La firma è stata apposta con la nostra chiave, ma nessun file sigillato qui è identico a questo byte per byte. Chiedi al mittente prima di farvi affidamento.",
    ],
    added: [
      "È stato aggiunto qualcosa dopo il sigillo",
      "La parte sigillata è invariata, ma ciò che vedi può essere stato aggiunto: testo, pagine, annotazioni e valori dei campi si possono sostituire così. Non fare affidamento su questa copia.",
    ],
    changed: [
      "Modificato dopo il sigillo",
      "Il file porta il nostro sigillo, che non corrisponde al contenuto. Non farvi affidamento.",
    ],
    foreign: ["Non sigillato qui", "Il file ha firme di altri, che questa pagina non giudica."],
    none: ["Non sigillato qui", "Il file non ha un sigillo. Forse non è mai stato firmato, oppure è un’altra copia."],
  },
  addedBytes: {
    known:
      "{count} byte seguono la parte sigillata. Quella parte è esattamente il documento qui sotto; chiedilo al mittente.",
    unknown: "{count} byte seguono la parte sigillata. Quella parte non è registrata qui.",
  },
  auditBroken: "Il registro delle attività dell’accordo è danneggiato. Chiedi al mittente.",
  facts: {
    document: "Documento",
    subject: "Oggetto",
    sender: "Inviato da",
    completed: "Concluso",
    deleted: "Eliminato",
    agreement: "Accordo",
    evidence: "Voce nel registro delle prove del mittente",
    sha256: "SHA-256",
  },
  certificateOf: "Certificato di completamento",
  signers: "Chi ha firmato",
  columns: ["Nome", "Ruolo", "Che cosa e quando"],
  roles: {
    signer: "Firmatario",
    approver: "Approvatore",
    certifiedDelivery: "Consegna certificata",
    inPersonSigner: "Firmatario in presenza",
  },
  statuses: {
    created: "In attesa",
    sent: "Inviato",
    delivered: "Aperto",
    completed: "Concluso",
    declined: "Rifiutato",
  },
  signatures: "Firme nel file",
  ours: "il nostro sigillo",
  others: "di altri",
};

const ptBr: Texts = {
  title: "Verificar um documento",
  intro:
    "Descubra se um PDF foi selado aqui e não mudou, e quem o assinou. O arquivo fica neste dispositivo: só a impressão digital dele (SHA-256) é enviada.",
  hint: "Solte um PDF nesta página ou escolha um.",
  choose: "Escolher um PDF",
  certificates: "Os certificados com que os documentos são selados",
  busy: "Verificando…",
  insecure: "Esta página só funciona com https.",
  tooLarge: "O arquivo é grande demais para ter sido selado aqui.",
  away: "Não foi possível verificar. Tente de novo daqui a pouco.",
  verdicts: {
    sealed: ["Selado aqui e inalterado", "Este é exatamente o arquivo que foi selado quando todos tinham assinado."],
    deleted: [
      "Selado aqui e inalterado; excluído depois",
      "Este é exatamente um arquivo que foi selado aqui quando todos tinham assinado. O remetente excluiu o acordo depois, porque o prazo de guarda terminou.",
    ],
    unknown: [
      "Um selo nosso, mas sem registro",
      "A assinatura foi feita com a nossa chave, mas nenhum arquivo selado aqui é igual a este byte por byte. Pergunte ao remetente antes de confiar no que ele mostra.",
    ],
    added: [
      "Algo foi acrescentado depois do selo",
      "A parte selada não mudou, mas o que você vê pode ter sido acrescentado: textos, páginas, anotações e valores de campos podem ser trocados assim. Não confie nesta cópia.",
    ],
    changed: [
      "Alterado depois do selo",
      "O arquivo traz o nosso selo, que não corresponde ao conteúdo. Não confie nele.",
    ],
    foreign: ["Não foi selado aqui", "O arquivo tem assinaturas de outros, que esta página não avalia."],
    none: ["Não foi selado aqui", "O arquivo não tem selo. Talvez nunca tenha sido assinado, ou é outra cópia."],
  },
  addedBytes: {
    known: "{count} bytes vêm depois da parte selada. Essa parte é exatamente o documento abaixo; peça-o ao remetente.",
    unknown: "{count} bytes vêm depois da parte selada. Essa parte não está registrada aqui.",
  },
  auditBroken: "A trilha de auditoria do acordo está danificada. Pergunte ao remetente.",
  facts: {
    document: "Documento",
    subject: "Assunto",
    sender: "Enviado por",
    completed: "Concluído",
    deleted: "Excluído",
    agreement: "Acordo",
    evidence: "Entrada no registro de evidências do remetente",
    sha256: "SHA-256",
  },
  certificateOf: "Certificado de conclusão",
  signers: "Quem assinou",
  columns: ["Nome", "Papel", "O quê e quando"],
  roles: {
    signer: "Signatário",
    approver: "Aprovador",
    certifiedDelivery: "Entrega certificada",
    inPersonSigner: "Signatário presencial",
  },
  statuses: {
    created: "Aguardando",
    sent: "Enviado",
    delivered: "Aberto",
    completed: "Concluído",
    declined: "Recusado",
  },
  signatures: "Assinaturas no arquivo",
  ours: "nosso selo",
  others: "de outra pessoa",
};

const ptPt: Texts = {
  title: "Verificar um documento",
  intro:
    "Saiba se um PDF foi selado aqui e não foi alterado, e quem o assinou. O ficheiro fica neste dispositivo: só é enviada a sua impressão digital (SHA-256).",
  hint: "Largue um PDF nesta página ou escolha-o.",
  choose: "Escolher um PDF",
  certificates: "Os certificados com que os documentos são selados",
  busy: "A verificar…",
  insecure: "Esta página só funciona com https.",
  tooLarge: "O ficheiro é demasiado grande para ter sido selado aqui.",
  away: "Não foi possível verificar. Tente novamente dentro de momentos.",
  verdicts: {
    sealed: ["Selado aqui e inalterado", "Este é exatamente o ficheiro que foi selado quando todos tinham assinado."],
    deleted: [
      "Selado aqui e inalterado; eliminado depois",
      "Este é exatamente um ficheiro que foi selado aqui quando todos tinham assinado. O remetente eliminou entretanto o acordo, porque terminou o prazo de conservação.",
    ],
    unknown: [
      "Um selo nosso, mas sem registo",
      "A assinatura foi feita com a nossa chave, mas nenhum ficheiro selado aqui é igual a este byte por byte. Pergunte ao remetente antes de confiar no que mostra.",
    ],
    added: [
      "Algo foi acrescentado depois do selo",
      "A parte selada não mudou, mas o que vê pode ter sido acrescentado: textos, páginas, anotações e valores de campos podem ser substituídos assim. Não confie nesta cópia.",
    ],
    changed: [
      "Alterado depois do selo",
      "O ficheiro tem o nosso selo, que não corresponde ao conteúdo. Não confie nele.",
    ],
    foreign: ["Não foi selado aqui", "O ficheiro tem assinaturas de outros, que esta página não avalia."],
    none: ["Não foi selado aqui", "O ficheiro não tem selo. Talvez nunca tenha sido assinado, ou é outra cópia."],
  },
  addedBytes: {
    known: "{count} bytes seguem-se à parte selada. Essa parte é exatamente o documento abaixo; peça-o ao remetente.",
    unknown: "{count} bytes seguem-se à parte selada. Essa parte não está registada aqui.",
  },
  auditBroken: "O registo de auditoria do acordo está danificado. Pergunte ao remetente.",
  facts: {
    document: "Documento",
    subject: "Assunto",
    sender: "Enviado por",
    completed: "Concluído",
    deleted: "Eliminado",
    agreement: "Acordo",
    evidence: "Entrada no registo de provas do remetente",
    sha256: "SHA-256",
  },
  certificateOf: "Certificado de conclusão",
  signers: "Quem assinou",
  columns: ["Nome", "Função", "O quê e quando"],
  roles: {
    signer: "Signatário",
    approver: "Aprovador",
    certifiedDelivery: "Entrega certificada",
    inPersonSigner: "Signatário presencial",
  },
  statuses: {
    created: "A aguardar",
    sent: "Enviado",
    delivered: "Aberto",
    completed: "Concluído",
    declined: "Recusado",
  },
  signatures: "Assinaturas no ficheiro",
  ours: "o nosso selo",
  others: "de outra pessoa",
};

const nl: Texts = {
  title: "Document controleren",
  intro:
    "Kijk of een PDF hier is verzegeld en ongewijzigd is, en wie hem heeft ondertekend. Het bestand blijft op dit apparaat: alleen de vingerafdruk (SHA-256) wordt verzonden.",
  hint: "Sleep een PDF naar deze pagina of kies er een.",
  choose: "PDF kiezen",
  certificates: "De certificaten waarmee documenten worden verzegeld",
  busy: "Wordt gecontroleerd…",
  insecure: "Deze pagina werkt alleen via https.",
  tooLarge: "Het bestand is te groot om hier verzegeld te zijn.",
  away: "De controle is niet gelukt. Probeer het zo nog eens.",
  verdicts: {
    sealed: [
      "Hier verzegeld en ongewijzigd",
      "Dit is precies het bestand dat werd verzegeld toen iedereen had ondertekend.",
    ],
    deleted: [
      "Hier verzegeld en ongewijzigd; sindsdien verwijderd",
      "Dit is precies een bestand dat hier werd verzegeld toen iedereen had ondertekend. De afzender heeft de overeenkomst sindsdien verwijderd, omdat de bewaartermijn voorbij was.",
    ],
    unknown: [
      "Een zegel van ons, maar niet geregistreerd",
      "De handtekening is met onze sleutel gezet, maar geen bestand dat hier is verzegeld is byte voor byte gelijk aan dit. Vraag het de afzender voordat u erop vertrouwt.",
    ],
    added: [
      "Er is na het verzegelen iets toegevoegd",
      "Het verzegelde deel is ongewijzigd, maar wat u ziet kan zijn toegevoegd: tekst, pagina’s, opmerkingen en waarden van velden kunnen zo worden vervangen. Vertrouw niet op deze kopie.",
    ],
    changed: [
      "Na het verzegelen gewijzigd",
      "Het bestand draagt ons zegel, dat niet bij de inhoud past. Vertrouw er niet op.",
    ],
    foreign: [
      "Niet hier verzegeld",
      "Het bestand heeft handtekeningen van anderen, waarover deze pagina niet oordeelt.",
    ],
    none: [
      "Niet hier verzegeld",
      "Het bestand heeft geen zegel. Misschien is het nooit ondertekend, of is het een andere kopie.",
    ],
  },
  addedBytes: {
    known:
      "{count} bytes volgen op het verzegelde deel. Dat deel is precies het document hieronder; vraag het aan de afzender.",
    unknown: "{count} bytes volgen op het verzegelde deel. Dat deel is hier niet geregistreerd.",
  },
  auditBroken: "Het controlespoor van de overeenkomst is beschadigd. Vraag het de afzender.",
  facts: {
    document: "Document",
    subject: "Onderwerp",
    sender: "Verzonden door",
    completed: "Voltooid",
    deleted: "Verwijderd",
    agreement: "Overeenkomst",
    evidence: "Vermelding in het bewijslogboek van de afzender",
    sha256: "SHA-256",
  },
  certificateOf: "Certificaat van voltooiing",
  signers: "Wie heeft ondertekend",
  columns: ["Naam", "Rol", "Wat en wanneer"],
  roles: {
    signer: "Ondertekenaar",
    approver: "Goedkeurder",
    certifiedDelivery: "Aantoonbare aflevering",
    inPersonSigner: "Ondertekenaar ter plaatse",
  },
  statuses: {
    created: "Wacht",
    sent: "Verzonden",
    delivered: "Geopend",
    completed: "Voltooid",
    declined: "Geweigerd",
  },
  signatures: "Handtekeningen in het bestand",
  ours: "ons zegel",
  others: "van iemand anders",
};

const pl: Texts = {
  title: "Sprawdź dokument",
  intro:
    "Sprawdź, czy plik PDF został tu opieczętowany i nie zmienił się, oraz kto go podpisał. Plik pozostaje na tym urządzeniu: wysyłany jest tylko jego odcisk (SHA-256).",
  hint: "Upuść plik PDF na tej stronie lub wybierz go.",
  choose: "Wybierz PDF",
  certificates: "Certyfikaty, którymi pieczętowane są dokumenty",
  busy: "Sprawdzanie…",
  insecure: "Ta strona działa tylko przez https.",
  tooLarge: "Plik jest za duży, aby mógł zostać tu opieczętowany.",
  away: "Nie udało się sprawdzić pliku. Spróbuj ponownie za chwilę.",
  verdicts: {
    sealed: [
      "Opieczętowany tutaj i niezmieniony",
      "To dokładnie ten plik, który został opieczętowany, gdy wszyscy podpisali.",
    ],
    deleted: [
      "Opieczętowany tutaj i niezmieniony; później usunięty",
      "To dokładnie plik, który został tu opieczętowany, gdy wszyscy podpisali. Nadawca usunął później umowę, ponieważ minął okres jej przechowywania.",
    ],
    unknown: [
      "Nasza pieczęć, ale brak wpisu",
      "Podpis złożono naszym kluczem, ale żaden opieczętowany tu plik nie jest z nim zgodny bajt po bajcie. Zapytaj nadawcę, zanim zaufasz jego treści.",
    ],
    added: [
      "Po opieczętowaniu coś dodano",
      "Opieczętowana część jest niezmieniona, ale to, co widzisz, mogło zostać dodane: w ten sposób można zastąpić tekst, strony, adnotacje i wartości pól. Nie ufaj tej kopii.",
    ],
    changed: ["Zmieniony po opieczętowaniu", "Plik ma naszą pieczęć, która nie pasuje do jego treści. Nie ufaj mu."],
    foreign: ["Nieopieczętowany tutaj", "Plik ma podpisy innych, których ta strona nie ocenia."],
    none: ["Nieopieczętowany tutaj", "Plik nie ma pieczęci. Być może nigdy nie został podpisany albo jest inną kopią."],
  },
  addedBytes: {
    known:
      "Za opieczętowaną częścią następuje bajtów: {count}. Ta część to dokładnie dokument poniżej; poproś o niego nadawcę.",
    unknown: "Za opieczętowaną częścią następuje bajtów: {count}. Tej części nie ma w naszym rejestrze.",
  },
  auditBroken: "Ślad audytowy umowy jest uszkodzony. Zapytaj nadawcę.",
  facts: {
    document: "Dokument",
    subject: "Temat",
    sender: "Wysłane przez",
    completed: "Zakończono",
    deleted: "Usunięto",
    agreement: "Umowa",
    evidence: "Wpis w rejestrze dowodów nadawcy",
    sha256: "SHA-256",
  },
  certificateOf: "Certyfikat zakończenia",
  signers: "Kto podpisał",
  columns: ["Imię i nazwisko", "Rola", "Co i kiedy"],
  roles: {
    signer: "Podpisujący",
    approver: "Zatwierdzający",
    certifiedDelivery: "Doręczenie z potwierdzeniem",
    inPersonSigner: "Podpisujący osobiście",
  },
  statuses: {
    created: "Oczekuje",
    sent: "Wysłano",
    delivered: "Otwarto",
    completed: "Zakończono",
    declined: "Odmówiono",
  },
  signatures: "Podpisy w pliku",
  ours: "nasza pieczęć",
  others: "kogoś innego",
};

const ja: Texts = {
  title: "文書の確認",
  intro:
    "PDF がここで封印され変更されていないか、誰が署名したかを確認できます。ファイルはこの端末から出ません。送信されるのは指紋（SHA-256）だけです。",
  hint: "このページに PDF をドロップするか、選択してください。",
  choose: "PDF を選択",
  certificates: "文書の封印に使われる証明書",
  busy: "確認しています…",
  insecure: "このページは https でのみ動作します。",
  tooLarge: "ファイルが大きすぎます。ここで封印されたものではありません。",
  away: "確認できませんでした。しばらくしてからもう一度お試しください。",
  verdicts: {
    sealed: ["ここで封印され、変更されていません", "全員の署名が完了したときに封印されたファイルそのものです。"],
    deleted: [
      "ここで封印され、変更されていません（その後削除）",
      "全員の署名が完了したときにここで封印されたファイルそのものです。保存期間が終わったため、送信者はその後契約を削除しました。",
    ],
    unknown: [
      "当方の封印ですが、記録がありません",
      "署名は当方の鍵によるものですが、ここで封印されたファイルの中に、1バイトも違わず一致するものはありません。内容を信頼する前に送信者に確認してください。",
    ],
    added: [
      "封印後に何かが追加されています",
      "封印された部分は変更されていませんが、表示されている内容は追加されたものかもしれません。この方法で文字、ページ、注釈、項目の値を置き換えることができます。このファイルを信頼しないでください。",
    ],
    changed: [
      "封印後に変更されています",
      "ファイルには当方の封印がありますが、内容と一致しません。信頼しないでください。",
    ],
    foreign: ["ここで封印されたものではありません", "ファイルには第三者の署名があります。このページでは判定しません。"],
    none: [
      "ここで封印されたものではありません",
      "ファイルに封印がありません。署名されていないか、別の写しかもしれません。",
    ],
  },
  addedBytes: {
    known:
      "封印された部分の後に {count} バイトが続いています。その部分は下記の文書そのものです。送信者に依頼して入手してください。",
    unknown: "封印された部分の後に {count} バイトが続いています。その部分はここに記録がありません。",
  },
  auditBroken: "契約の監査証跡が破損しています。送信者に確認してください。",
  facts: {
    document: "文書",
    subject: "件名",
    sender: "送信者",
    completed: "完了",
    deleted: "削除",
    agreement: "契約",
    evidence: "送信者の証拠ログの記録",
    sha256: "SHA-256",
  },
  certificateOf: "完了証明書",
  signers: "署名した人",
  columns: ["名前", "役割", "内容と日時"],
  roles: {
    signer: "署名者",
    approver: "承認者",
    certifiedDelivery: "受領確認",
    inPersonSigner: "対面の署名者",
  },
  statuses: {
    created: "待機中",
    sent: "送信済み",
    delivered: "開封済み",
    completed: "完了",
    declined: "辞退",
  },
  signatures: "ファイル内の署名",
  ours: "当方の封印",
  others: "第三者",
};

const zh: Texts = {
  title: "核验文件",
  intro: "查看 PDF 是否在此处加盖电子印章且未被更改，以及由谁签署。文件保留在本设备上：仅发送其指纹（SHA-256）。",
  hint: "将 PDF 拖放到此页面，或选择文件。",
  choose: "选择 PDF",
  certificates: "用于为文件加盖电子印章的证书",
  busy: "正在核验…",
  insecure: "此页面仅支持 https。",
  tooLarge: "文件过大，不可能在此处加盖过电子印章。",
  away: "无法核验。请稍后再试。",
  verdicts: {
    sealed: ["在此处加盖电子印章，且未被更改", "这正是所有人签署后加盖电子印章的文件。"],
    deleted: [
      "在此处加盖电子印章，且未被更改；之后已删除",
      "这正是所有人签署后在此处加盖电子印章的文件。由于保存期限已满，发件人之后删除了该协议。",
    ],
    unknown: [
      "是我们的电子印章，但没有记录",
      "签名由我们的密钥生成，但在此处加盖过电子印章的文件中，没有一个与此文件逐字节相同。在信赖其内容之前，请先询问发件人。",
    ],
    added: [
      "加盖电子印章后添加了内容",
      "加盖电子印章的部分未被更改，但您看到的内容可能是后来添加的：文字、页面、批注和字段的值都可以这样被替换。请勿信赖此副本。",
    ],
    changed: ["加盖电子印章后被更改", "文件带有我们的电子印章，但与内容不符。请勿信赖。"],
    foreign: ["不是在此处加盖电子印章的", "文件带有他人的签名，此页面不作判断。"],
    none: ["不是在此处加盖电子印章的", "文件没有电子印章。它可能从未被签署，或者是另一份副本。"],
  },
  addedBytes: {
    known: "加盖电子印章的部分之后还有 {count} 字节。该部分正是下面的文件，请向发件人索取。",
    unknown: "加盖电子印章的部分之后还有 {count} 字节。该部分在此处没有记录。",
  },
  auditBroken: "协议的审计记录已损坏。请询问发件人。",
  facts: {
    document: "文件",
    subject: "主题",
    sender: "发件人",
    completed: "完成时间",
    deleted: "删除时间",
    agreement: "协议",
    evidence: "发件人证据日志中的条目",
    sha256: "SHA-256",
  },
  certificateOf: "完成证书",
  signers: "签署人",
  columns: ["姓名", "角色", "操作和时间"],
  roles: {
    signer: "签署人",
    approver: "审批人",
    certifiedDelivery: "确认送达",
    inPersonSigner: "当面签署人",
  },
  statuses: {
    created: "等待中",
    sent: "已发送",
    delivered: "已打开",
    completed: "已完成",
    declined: "已拒绝",
  },
  signatures: "文件中的签名",
  ours: "我们的电子印章",
  others: "他人的",
};

const ar: Texts = {
  title: "التحقق من مستند",
  intro:
    "تحقّق ممّا إذا كان ملف PDF قد خُتم هنا ولم يتغيّر، ومن وقّعه. يبقى الملف على هذا الجهاز، ولا تُرسَل سوى بصمته (SHA-256).",
  hint: "أفلت ملف PDF على هذه الصفحة أو اختره.",
  choose: "اختيار ملف PDF",
  certificates: "الشهادات التي تُختم بها المستندات",
  busy: "جارٍ التحقق…",
  insecure: "تعمل هذه الصفحة عبر https فقط.",
  tooLarge: "الملف أكبر من أن يكون قد خُتم هنا.",
  away: "تعذّر التحقق. حاول مرة أخرى بعد قليل.",
  verdicts: {
    sealed: ["خُتم هنا ولم يتغيّر", "هذا هو بالضبط الملف الذي خُتم بعد أن وقّع الجميع."],
    deleted: [
      "خُتم هنا ولم يتغيّر، ثم حُذف",
      "هذا بالضبط ملف خُتم هنا بعد أن وقّع الجميع. وقد حذف المرسِل الاتفاقية بعد ذلك لانتهاء مدة حفظها.",
    ],
    unknown: [
      "ختم من أختامنا، لكنه غير مسجَّل",
      "أُنشئ التوقيع بمفتاحنا، لكن لا يوجد ملف خُتم هنا يطابق هذا الملف بايتًا ببايت. اسأل المرسِل قبل أن تعتمد على محتواه.",
    ],
    added: [
      "أُضيف شيء بعد الختم",
      "لم يتغيّر الجزء المختوم، لكن ما تراه ربما أُضيف لاحقًا: يمكن بهذه الطريقة استبدال النصوص والصفحات والملاحظات وقيم الحقول. لا تعتمد على هذه النسخة.",
    ],
    changed: ["تغيّر بعد الختم", "يحمل الملف ختمنا، لكنه لا يطابق محتواه. لا تعتمد عليه."],
    foreign: ["لم يُختم هنا", "يحمل الملف توقيعات آخرين لا تحكم عليها هذه الصفحة."],
    none: ["لم يُختم هنا", "لا يحمل الملف ختمًا. ربما لم يُوقَّع قط، أو أنه نسخة أخرى."],
  },
  addedBytes: {
    known: "بعد الجزء المختوم {count} بايت. ذلك الجزء هو بالضبط المستند المذكور أدناه؛ اطلبه من المرسِل.",
    unknown: "بعد الجزء المختوم {count} بايت. ذلك الجزء غير مسجَّل هنا.",
  },
  auditBroken: "سجل تدقيق الاتفاقية تالف. اسأل المرسِل.",
  facts: {
    document: "المستند",
    subject: "الموضوع",
    sender: "أرسله",
    completed: "اكتمل",
    deleted: "حُذف",
    agreement: "الاتفاقية",
    evidence: "القيد في سجل أدلة المرسِل",
    sha256: "SHA-256",
  },
  certificateOf: "شهادة الإتمام",
  signers: "من وقّع",
  columns: ["الاسم", "الدور", "ماذا ومتى"],
  roles: {
    signer: "موقِّع",
    approver: "معتمِد",
    certifiedDelivery: "تسليم مؤكَّد",
    inPersonSigner: "موقِّع حضوريًا",
  },
  statuses: {
    created: "في الانتظار",
    sent: "أُرسل",
    delivered: "فُتح",
    completed: "اكتمل",
    declined: "رُفض",
  },
  signatures: "التوقيعات في الملف",
  ours: "ختمنا",
  others: "من جهة أخرى",
};

const he: Texts = {
  title: "בדיקת מסמך",
  intro:
    "כאן אפשר לבדוק אם קובץ PDF קיבל חותם כאן ולא השתנה, ומי חתם עליו. הקובץ נשאר במכשיר הזה: רק טביעת האצבע שלו (SHA-256) נשלחת.",
  hint: "אפשר לגרור קובץ PDF לדף הזה או לבחור אותו.",
  choose: "בחירת PDF",
  certificates: "התעודות שבהן מסמכים מקבלים חותם",
  busy: "בבדיקה…",
  insecure: "הדף הזה פועל רק ב־https.",
  tooLarge: "הקובץ גדול מכדי שקיבל חותם כאן.",
  away: "לא הצלחנו לבדוק. כדאי לנסות שוב בעוד רגע.",
  verdicts: {
    sealed: ["קיבל חותם כאן ולא השתנה", "זה בדיוק הקובץ שקיבל חותם אחרי שכולם חתמו."],
    deleted: [
      "קיבל חותם כאן ולא השתנה; נמחק מאז",
      "זה בדיוק קובץ שקיבל חותם כאן אחרי שכולם חתמו. ההסכם נמחק מאז בידי השולח, כי תקופת השמירה שלו הסתיימה.",
    ],
    unknown: [
      "חותם שלנו, אך אינו רשום",
      "החתימה נעשתה במפתח שלנו, אך אין קובץ שקיבל חותם כאן וזהה לזה בכל בית. כדאי לשאול את השולח לפני שמסתמכים על התוכן.",
    ],
    added: [
      "משהו נוסף אחרי החותם",
      "החלק עם החותם לא השתנה, אך ייתכן שמה שמוצג נוסף: כך אפשר להחליף טקסט, עמודים, הערות וערכים של שדות. אין להסתמך על העותק הזה.",
    ],
    changed: ["השתנה אחרי החותם", "בקובץ יש חותם שלנו שאינו מתאים לתוכן. אין להסתמך עליו."],
    foreign: ["לא קיבל חותם כאן", "בקובץ יש חתימות של אחרים, והדף הזה אינו שופט אותן."],
    none: ["לא קיבל חותם כאן", "אין בקובץ חותם. ייתכן שמעולם לא נחתם, או שזה עותק אחר."],
  },
  addedBytes: {
    known: "אחרי החלק עם החותם יש עוד {count} בתים. החלק הזה הוא בדיוק המסמך שלמטה; אפשר לבקש אותו מהשולח.",
    unknown: "אחרי החלק עם החותם יש עוד {count} בתים. החלק הזה אינו רשום כאן.",
  },
  auditBroken: "יומן הביקורת של ההסכם פגום. כדאי לשאול את השולח.",
  facts: {
    document: "מסמך",
    subject: "נושא",
    sender: "נשלח בידי",
    completed: "הושלם",
    deleted: "נמחק",
    agreement: "הסכם",
    evidence: "רשומה ביומן הראיות של השולח",
    sha256: "SHA-256",
  },
  certificateOf: "תעודת השלמה",
  signers: "מי חתם",
  columns: ["שם", "תפקיד", "מה ומתי"],
  roles: {
    signer: "חותם",
    approver: "מאשר",
    certifiedDelivery: "מסירה מאושרת",
    inPersonSigner: "חותם בנוכחות",
  },
  statuses: {
    created: "ממתין",
    sent: "נשלח",
    delivered: "נפתח",
    completed: "הושלם",
    declined: "נדחה",
  },
  signatures: "חתימות בקובץ",
  ours: "החותם שלנו",
  others: "של מישהו אחר",
};

export const verifyLanguages = {
  ...{ en, de, fr, es, it, "pt-BR": ptBr, "pt-PT": ptPt },
  ...{ nl, pl, ja, "zh-Hans": zh, ar, he },
} as const;

/** The first language of the person that we speak; else English. */
export function chooseTexts(wanted: readonly string[]): { readonly language: string; readonly texts: Texts } {
  const language = languageFor(wanted, Object.keys(verifyLanguages) as (keyof typeof verifyLanguages)[]) ?? "en";
  return { language, texts: verifyLanguages[language] };
}
