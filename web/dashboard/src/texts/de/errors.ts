import type { Texts } from "../texts.tsx";

const byCode: Texts["errors"]["byCode"] = new Map([
  ["UNREACHABLE", "Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut."],
  ["PAGE_FAILED", "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu."],
  ["LOGIN_FAILED", "Die E-Mail-Adresse oder das Passwort ist falsch."],
  ["LOGIN_CODE_INVALID", "Der Code ist falsch oder wurde schon benutzt."],
  ["LOGIN_EXPIRED", "Die Anmeldung hat zu lange gedauert. Beginnen Sie noch einmal."],
  ["SESSION_ENDED", "Die Sitzung ist beendet. Melden Sie sich neu an."],
  ["LINK_INVALID", "Dieser Link wurde schon benutzt oder ist zu alt. Bitten Sie um einen neuen."],
  ["PASSWORD_WRONG", "Das jetzige Passwort ist falsch."],
  ["TOTP_CODE_INVALID", "Der Code ist falsch. Prüfen Sie die Uhrzeit Ihres Authenticators."],
  ["LAST_OWNER", "Eine Organisation braucht wenigstens eine aktive Person mit der Rolle „Inhaber“."],
  ["VALIDATION_FAILED", "Einige Angaben sind nicht gültig."],
  ["RATE_LIMIT_EXCEEDED", "Zu viele Anfragen. Warten Sie eine Minute und versuchen Sie es erneut."],
  ["FORBIDDEN", "Dafür reichen Ihre Rechte nicht."],
  ["NOT_FOUND", "Das gibt es nicht (mehr)."],
  ["CSRF_TOKEN_INVALID", "Die Seite ist veraltet. Laden Sie sie neu und versuchen Sie es noch einmal."],
  ["SERVICE_UNAVAILABLE", "Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal."],
  ["INTERNAL_ERROR", "Ein unerwarteter Fehler ist aufgetreten. Versuchen Sie es noch einmal."],
]);

export const errors: Texts["errors"] = { byCode };
