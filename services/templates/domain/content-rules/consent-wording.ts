/**
 * How people write what the rules about consent look for, in the languages that most texts come in. A text in another
 * language is not found to have it, which is never more than a warning; see the rules for what that means.
 *
 * Every gap is bounded, so that searching takes linear time.
 */

/** Continuing, browsing or using something that counts as consent. */
export const bundledConsent: readonly RegExp[] = [
  /\bby\s+(?:continuing|using|browsing|visiting|accessing|scrolling|closing|remaining|staying|registering|signing\s+up)\b[^.!?]{0,120}?\b(?:consents?|agrees?|accepts?)\b/giu,
  /\bcontinued\s+use\b[^.!?]{0,120}?\b(?:consent|agreement|acceptance)\b/giu,
  /\b(?:indem|wenn|durch)\b[^.!?]{0,80}?\b(?:weiter\s*(?:surfen|nutzen|verwenden)|fortfahren|nutzung|nutzen|verwenden)\b[^.!?]{0,120}?\b(?:zu|ein|einverstanden)\b/giu,
  /\ben\s+(?:continuant|poursuivant|utilisant|naviguant)\b[^.!?]{0,120}?\b(?:acceptez|consentez|consens|accepte)\b/giu,
  /\b(?:al|si)\s+(?:continuar|continúa|utilizar|usar|navegar)\b[^.!?]{0,120}?\b(?:acepta|consiente|aceptas|consientes)\b/giu,
  /\b(?:continuando|proseguendo|utilizzando|navigando)\b[^.!?]{0,120}?\b(?:acconsenti|accetti|acconsente|accetta)\b/giu,
  /\b(?:ao\s+continuar|ao\s+utilizar|ao\s+usar|ao\s+navegar)\b[^.!?]{0,120}?\b(?:concorda|aceita|consente)\b/giu,
  /\bdoor\s+(?:verder\s+te\s+gaan|gebruik|te\s+gebruiken|door\s+te\s+gaan)\b[^.!?]{0,120}?\b(?:akkoord|toestemming|instemt)\b/giu,
];

/** A box that is ticked before the person has done anything. */
export const precheckedBox: readonly RegExp[] = [
  /\bpre-?\s?(?:checked|ticked)\b/giu,
  /\bpre-?\s?selected\s+(?:box|boxes|checkbox|checkboxes|consents?)\b/giu,
  /\b(?:checked|ticked)\s+by\s+default\b/giu,
  /\b(?:box|boxes|checkbox|checkboxes)\s+(?:is|are)\s+already\s+(?:checked|ticked|selected)\b/giu,
  /\b(?:vor(?:ab\s)?(?:ausgewählt|angekreuzt|angehakt)|bereits\s+(?:angekreuzt|angehakt|ausgewählt))(?!\p{L})/giu,
  /\b(?:pré-?coch[ée]e?s?|coch[ée]e?s?\s+par\s+d[ée]faut)(?!\p{L})/giu,
  /\b(?:premarcad[ao]s?|marcad[ao]s?\s+por\s+defecto|preselezionat[aoie]|pré-?selecionad[ao]s?|vooraf\s+aangevinkt)\b/giu,
  // A ticked box as a character, and as the task list of Markdown.
  /[\u2611\u2612\u{1f5f9}\u{1f5f5}]/giu,
  /^[ \t]{0,9}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}\[[xX]\]/gmu,
];

/** A box to be unticked by whoever does not consent. */
export const optOutBox: readonly RegExp[] = [
  /\bun-?(?:check|tick|select)\s+(?:the|this|these|that)\b[^.!?]{0,40}?\b(?:box|boxes|checkbox|option)\b/giu,
  /\b(?:check|tick)\s+(?:the|this)\s+(?:box|checkbox)\s+if\s+you\s+(?:do\s+not|don['’]t)\b/giu,
  /(?:entfernen\s+sie\s+(?:den|das)\s+(?:haken|häkchen|kreuz)|\bdécochez\b|\bdesmarque\b|\bdeseleziona\b)/giu,
];

/** Words that turn a statement about such a box into its opposite. */
export const negation =
  /\b(?:no|not|never|none|nothing|without|isn['’]t|aren['’]t|nicht|kein\p{L}*|nie|ohne|ne|pas|aucune?|jamais|sin|ninguna?|nunca|non|nessun\p{L}*|mai|não|nenhuma?|niet|geen)\b/iu;

/** That consent can be taken back. */
export const withdrawal: readonly RegExp[] = [
  /\b(?:withdraw\p{L}*|revok\p{L}*|revoc\p{L}*|opt(?:ing)?[- ]out|unsubscrib\p{L}*|change\s+your\s+mind|take\s+back\s+your\s+consent)/iu,
  /(?:widerr[ui]f|widerruf|zurückzieh|zurückgenommen|zurücknehm|abmelden|abbestell|austragen)/iu,
  /(?:retir(?:er|ez|é)|retrait|révoqu|désabonn|désinscri|revenir\s+sur)/iu,
  /(?:retirar|revocar|retirada|revocación|darse\s+de\s+baja|cancelar\s+la\s+suscripción)/iu,
  /(?:revocare|revoca|ritirare|disiscri|annullare\s+l['’]iscrizione)/iu,
  /(?:revogar|revogação|cancelar\s+a\s+inscrição|cancelar\s+a\s+subscrição)/iu,
  /(?:intrekken|intrekt|afmelden|uitschrijven)/iu,
  /(?:wycofa|cofn|odwoła|återkalla|dra\s+tillbaka|trække\s+tilbage|tilbagekald|trekke\s+tilbake|peruutta|odvolat|visszavon)/iu,
  /(?:撤回|取り消|撤销|取消|철회|отозвать|отзыв|відкликати|سحب|geri\s+al|लेना)/iu,
];
