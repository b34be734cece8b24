import type { Publication } from "./report.ts";
import { atStart, type RuleFinding } from "./report.ts";

/** A person who presses a button that the notice calls by another name has not agreed to what the notice says. */
export function noticeFindings(publication: Publication | undefined): RuleFinding[] {
  const { consentText, buttonText } = publication?.texts ?? {};
  // An absent notice is made with the label of the button.
  if (consentText === undefined || buttonText === undefined || buttonText.trim() === "") return [];
  if (comparable(consentText).includes(comparable(buttonText))) return [];
  const message = `The notice does not name the button by its label "${buttonText}".`;
  return [atStart("NOTICE_BUTTON_MISMATCH", "WARNING", message, "consentText")];
}

const comparable = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
