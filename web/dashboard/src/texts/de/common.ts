import type { Texts } from "../texts.tsx";

export const common: Texts["common"] = {
  product: "Assent",
  optional: "optional",
  show: "Zeigen",
  hide: "Verbergen",
  cancel: "Abbrechen",
  close: "Schließen",
  done: "Fertig",
  save: "Speichern",
  saved: "Gespeichert.",
  copy: "Kopieren",
  copied: "Kopiert",
  more: "Mehr zeigen",
  tryAgain: "Erneut versuchen",
  loading: "Wird geladen …",
  asTable: "Als Tabelle zeigen",
  never: "Nie",
  requestNumber: "Anfragenummer für den Support:",
  secretOnce: "Jetzt an einem sicheren Ort aufbewahren. Es wird nur dieses eine Mal gezeigt.",
};
