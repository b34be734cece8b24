import type { Texts } from "../texts.tsx";

export const start: Texts["start"] = {
  hello: (name) => `Hallo, ${name}`,
  intro: (organization, role) => `Sie sind bei ${organization} angemeldet, mit der Rolle ${role}.`,
  nextTitle: "Wie geht es weiter?",
  keyTitle: "API-Schlüssel anlegen",
  keyText: "Ihre Programme senden ihn mit jeder Anfrage.",
  hookTitle: "Webhook-Endpunkt anlegen",
  hookText: "Ihre Programme erfahren, was geschieht, sobald es geschieht.",
  peopleTitle: "Personen einladen",
  peopleText: "Als Betrachter, Entwickler oder Inhaber.",
  factorTitle: "Zweiten Faktor einschalten",
  factorText: "Ihr Konto ist nur durch ein Passwort geschützt.",
  apiTitle: "Die erste Anfrage",
  apiText: "Die API hat diese Adresse. Setzen Sie an die Stelle von $ASSENT_API_KEY einen API-Schlüssel.",
  baseUrl: "Basis-URL",
  organizationId: "Id der Organisation",
  plan: "Tarif",
  reference: "Referenz der API",
};
