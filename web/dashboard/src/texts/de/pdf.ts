import type { Texts } from "../texts.tsx";

export const pdf: Texts["pdf"] = {
  page: (name, page, pages) => `${name}, Seite ${page} von ${pages}`,
  unreadable: "Dieses Dokument lässt sich hier nicht anzeigen.",
  pageFailed: "Diese Seite lässt sich nicht anzeigen.",
};
