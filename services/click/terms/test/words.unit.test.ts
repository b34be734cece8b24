import { describe, expect, test } from "@jest/globals";
import { chooseWords } from "#platform/words.ts";

const none = { consentText: null, buttonText: null, declineText: null, checkboxText: null };

describe("chooseWords", () => {
  test.each([
    ["en", "I agree", 'By clicking "I agree" I agree to the Terms.'],
    ["en-GB", "I agree", 'By clicking "I agree" I agree to the Terms.'],
    ["de-AT", "Ich stimme zu", "Mit einem Klick auf „Ich stimme zu“ stimme ich Folgendem zu: Terms."],
    ["fr", "J’accepte", "En cliquant sur « J’accepte », j’accepte ce qui suit : Terms."],
    ["es-419", "Acepto", "Al hacer clic en «Acepto», acepto lo siguiente: Terms."],
    ["it", "Accetto", "Facendo clic su «Accetto» accetto quanto segue: Terms."],
    ["pt-BR", "Aceito", "Ao clicar em “Aceito”, aceito o seguinte: Terms."],
    ["ja", "I agree", 'By clicking "I agree" I agree to the Terms.'],
    ["constructor", "I agree", 'By clicking "I agree" I agree to the Terms.'],
  ])("what is usual in %s", (locale, button, notice) => {
    const words = chooseWords(none, "Terms", locale);
    expect([words.buttonText, words.noticeText]).toEqual([button, notice]);
    expect(words.declineText).not.toBe("");
    expect(words.checkboxText).toContain("Terms");
  });

  test("what the version says comes first, and the notice names the button as it is", () => {
    const words = chooseWords({ ...none, buttonText: "OK" }, "Terms", "en");
    expect(words.noticeText).toBe('By clicking "OK" I agree to the Terms.');
    const own = { consentText: "Mine.", buttonText: "Yes", declineText: "No", checkboxText: "Box" };
    expect(chooseWords(own, "Terms", "de")).toEqual({
      title: "Terms",
      noticeText: "Mine.",
      buttonText: "Yes",
      declineText: "No",
      checkboxText: "Box",
    });
  });
});
