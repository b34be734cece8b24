import type { keys as english } from "../en/keys.ts";

export const keys: typeof english = {
  title: "API-Schlüssel",
  intro: "Mit einem Schlüssel ruft Ihr Programm die API auf. Er darf alles, was Programme dürfen.",
  create: "Schlüssel anlegen",
  createTitle: "API-Schlüssel anlegen",
  nameLabel: "Name",
  nameHelp: "Damit Sie später wissen, welches Programm ihn benutzt, zum Beispiel „Shop-Backend“.",
  createdTitle: "Ihr neuer Schlüssel",
  createdLead: (name) => `„${name}“ gilt ab sofort.`,
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
    "Programme, die ihn benutzen, bekommen binnen einer Sekunde keine Antworten mehr. Das lässt sich nicht rückgängig machen.",
  emptyTitle: "Noch kein API-Schlüssel",
  emptyText: "Legen Sie einen an, um die API aus Ihrem Programm aufzurufen.",
  emptyReadOnly: "Schlüssel legen Entwickler und Inhaber der Organisation an.",
};
