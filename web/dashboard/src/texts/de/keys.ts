import type { keys as english } from "../en/keys.ts";

export const keys: typeof english = {
  title: "API-Schlüssel",
  intro: "Mit API-Schlüsseln rufen Ihre Programme die API auf. Ein Schlüssel hat alle Scopes.",
  create: "Schlüssel anlegen",
  createTitle: "API-Schlüssel anlegen",
  nameLabel: "Name",
  nameHelp: "Hilft Ihnen, das Programm wiederzuerkennen, zum Beispiel „Shop-Backend“.",
  createdTitle: "Ihr neuer Schlüssel",
  createdLead: (name) => `„${name}“ ist einsatzbereit.`,
  tryIt: "Ausprobieren",
  name: "Name",
  id: "Schlüssel",
  created: "Angelegt",
  lastUsed: "Zuletzt benutzt",
  revoked: "Widerrufen",
  showRevoked: (count) => `Widerrufene Schlüssel zeigen (${count})`,
  revoke: "Widerrufen",
  revokeOf: (name) => `${name} widerrufen`,
  revokeTitle: (name) => `Den Schlüssel „${name}“ widerrufen?`,
  revokeText:
    "Anfragen mit diesem Schlüssel werden binnen einer Sekunde abgewiesen. Das lässt sich nicht rückgängig machen.",
  emptyTitle: "Noch keine API-Schlüssel",
  emptyText: "Legen Sie einen an, um die API aus Ihrem Programm aufzurufen.",
  emptyReadOnly: "Entwickler und Inhaber können Schlüssel anlegen.",
};
