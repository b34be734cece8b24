import SignaturePad from "signature_pad";
import type { Adopted } from "#api/ceremony.ts";
import { signatureStyles } from "#platform/fonts/handwriting.ts";
import { button, element } from "./dom.ts";
import { pictureOf, writeName } from "./handwriting.ts";
import { fill } from "./languages.ts";
import { base64Of, trimmed, withoutBackground } from "./picture.ts";
import type { Texts } from "./texts/texts.ts";

/** What somebody wants their signature and their initials to look like. */
export interface Adoption {
  readonly signature: Adopted;
  readonly initials: Adopted;
}

type Way = "last" | "type" | "draw" | "upload";

/** Asks for a signature; undefined when the person changes their mind. Typing is as good as drawing. */
export function askForSignature(name: string, texts: Texts): Promise<Adoption | undefined> {
  const nameInput = element("input", { type: "text", value: name, autocomplete: "name", maxlength: 100, dir: "auto" });
  const initialsInput = element("input", {
    type: "text",
    value: initialsOf(name),
    maxlength: 10,
    autocomplete: "off",
    dir: "auto",
  });
  initialsFollow(nameInput, initialsInput);
  const styles = stylePicker(nameInput, texts);
  const drawing = drawingPanel(texts);
  const upload = uploadPanel(texts);
  const last = lastAdoption(name);
  const lastPanel = lastAdoptionPanel(last, texts);
  const remember = element("input", { type: "checkbox", checked: last !== undefined });
  const problem = element("p", { class: "problem", role: "alert" });
  const typing = element(
    "div",
    { class: "pair" },
    labelled(texts.fullName, nameInput),
    labelled(texts.initials, initialsInput),
  );
  const panels: Record<Way, HTMLElement> = {
    ...{ last: lastPanel, type: styles.root, draw: drawing.root, upload: upload.root },
  };
  const ways = wayPicker(texts, last !== undefined, (way) => {
    for (const [one, panel] of Object.entries(panels)) panel.hidden = one !== way;
    typing.hidden = way === "last";
    if (way === "draw") drawing.fit();
  });

  return new Promise((resolve) => {
    const dialog = element("dialog", { class: "dialog", "aria-labelledby": "adopt-heading" });
    const finish = (adoption: Adoption | undefined): void => {
      resolve(adoption);
      dialog.close();
    };
    const done = (adoption: Adoption): void => {
      rememberAdoption(name, remember.checked ? adoption : undefined);
      finish(adoption);
    };
    const adopt = (): void => {
      if (ways.chosen() === "last" && last !== undefined) {
        done(last);
        return;
      }
      const typed = nameInput.value.trim();
      const short = initialsInput.value.trim();
      const png = ways.chosen() === "type" ? "" : ways.chosen() === "draw" ? drawing.png() : upload.png();
      const isMissing = typed === "" || short === "";
      problem.textContent = isMissing ? texts.nameMissing : png === undefined ? texts.drawingMissing : "";
      if (isMissing || png === undefined) return;
      const font = styles.chosen();
      done({ signature: { typed, font, drawnPng: png }, initials: { typed: short, font, drawnPng: "" } });
    };
    dialog.append(
      element("h2", { id: "adopt-heading" }, texts.adoptHeading),
      typing,
      ways.root,
      ...Object.values(panels),
      element("label", { class: "choice" }, remember, texts.remember),
      element("p", { class: "small" }, texts.adoptStatement),
      problem,
      element(
        "div",
        { class: "row" },
        button(texts.adopt, adopt, "primary"),
        button(texts.cancel, () => finish(undefined)),
      ),
    );
    dialog.addEventListener("close", () => {
      resolve(undefined);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
    if (last === undefined) nameInput.focus();
  });
}

const labelled = (text: string, control: HTMLElement): HTMLElement => element("label", {}, text, control);

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return words
    .slice(0, 4)
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("");
}

/** They are those of the name until the person writes others. */
function initialsFollow(name: HTMLInputElement, initials: HTMLInputElement): void {
  let isOwn = false;
  initials.addEventListener("input", () => {
    isOwn = true;
  });
  name.addEventListener("input", () => {
    if (!isOwn) initials.value = initialsOf(name.value);
  });
}

function wayPicker(texts: Texts, hasLast: boolean, onChoice: (way: Way) => void) {
  let chosen: Way = hasLast ? "last" : "type";
  const names: Record<Way, string> = {
    ...{ last: texts.adoptLast, type: texts.adoptType, draw: texts.adoptDraw, upload: texts.adoptUpload },
  };
  const ways = (Object.keys(names) as Way[]).filter((way) => hasLast || way !== "last");
  const choices = ways.map((way) => {
    const input = element("input", {
      type: "radio",
      name: "way",
      value: way,
      checked: way === chosen,
      onchange: () => {
        chosen = way;
        onChoice(way);
      },
    });
    return element("label", { class: "choice" }, input, names[way]);
  });
  queueMicrotask(() => onChoice(chosen));
  return {
    root: element("fieldset", { class: "ways" }, element("legend", {}, texts.adoptHeading), ...choices),
    chosen: () => chosen,
  };
}

function stylePicker(nameInput: HTMLInputElement, texts: Texts) {
  let chosen: Adopted["font"] = signatureStyles[0];
  const samples: HTMLElement[] = [];
  const choices = signatureStyles.map((font, index) => {
    const sample = element("span", { "aria-hidden": "true", dir: "auto" });
    samples.push(sample);
    const input = element("input", {
      type: "radio",
      name: "font",
      value: font,
      checked: index === 0,
      "aria-label": fill(texts.styleNumber, { number: index + 1 }),
      onchange: () => {
        chosen = font;
      },
    });
    return element("label", { class: "choice sample paper" }, input, sample);
  });
  const update = (): void => {
    for (const [index, sample] of samples.entries()) {
      writeName(sample, signatureStyles[index] ?? signatureStyles[0], nameInput.value);
    }
  };
  nameInput.addEventListener("input", update);
  update();
  return {
    root: element("fieldset", { class: "styles" }, element("legend", {}, texts.style), ...choices),
    chosen: () => chosen,
  };
}

function drawingPanel(texts: Texts) {
  const canvas = element("canvas", { class: "drawing paper", role: "img", "aria-label": texts.drawHint });
  const pad = new SignaturePad(canvas, { penColor: "#000059", minWidth: 0.8, maxWidth: 2.8 });
  let drawnAt = 0;
  /** The canvas has no size before it is shown, and another one when a telephone is turned: the drawing grows with it. */
  const fit = (): void => {
    if (canvas.clientWidth === 0) return;
    const grown = drawnAt === 0 ? 1 : canvas.clientWidth / drawnAt;
    const drawn = pad.toData().map((stroke) => ({
      ...stroke,
      points: stroke.points.map((point) => ({ ...point, x: point.x * grown, y: point.y * grown })),
    }));
    const scale = Math.min(window.devicePixelRatio, 2);
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    canvas.getContext("2d")?.scale(scale, scale);
    drawnAt = canvas.clientWidth;
    pad.clear();
    pad.fromData(drawn);
  };
  new ResizeObserver(fit).observe(canvas);
  return {
    root: element(
      "div",
      { hidden: true, class: "draws" },
      element("p", {}, texts.drawHint),
      canvas,
      button(texts.clear, () => pad.clear()),
    ),
    fit,
    png: (): string | undefined => (pad.isEmpty() ? undefined : base64Of(trimmed(canvas))),
  };
}

const maxUploadBytes = 5 * 1024 * 1024;

function uploadPanel(texts: Texts) {
  let png: string | undefined;
  const preview = element("div", { class: "preview paper" });
  const input = element("input", { type: "file", accept: "image/png,image/jpeg" });
  const problem = element("p", { class: "problem", role: "alert" });
  input.addEventListener("change", async () => {
    problem.textContent = "";
    png = undefined;
    preview.replaceChildren();
    const file = input.files?.[0];
    if (file === undefined) return;
    try {
      if (file.size > maxUploadBytes || !["image/png", "image/jpeg"].includes(file.type))
        throw new Error("not allowed");
      const canvas = await withoutBackground(file);
      png = base64Of(canvas);
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", texts.adoptHeading);
      preview.replaceChildren(canvas);
    } catch {
      problem.textContent = texts.uploadFailed;
    }
  });
  return {
    root: element("div", { hidden: true }, labelled(texts.uploadHint, input), preview, problem),
    png: (): string | undefined => png,
  };
}

const storageKey = "assent-signature";

/** What this person has adopted on this device before, if they wanted it to be remembered. */
function lastAdoption(name: string): Adoption | undefined {
  try {
    const { person, signature, initials } = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
    const isWhole = [signature, initials].every(
      (one) => typeof one?.typed === "string" && typeof one.drawnPng === "string",
    );
    return person === name && isWhole && signatureStyles.includes(signature.font) ? { signature, initials } : undefined;
  } catch {
    return undefined;
  }
}

/** A browser may forbid a page in a frame to store anything. */
function rememberAdoption(person: string, adoption: Adoption | undefined): void {
  try {
    if (adoption === undefined) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify({ person, ...adoption }));
  } catch {}
}

function lastAdoptionPanel(last: Adoption | undefined, texts: Texts): HTMLElement {
  if (last === undefined) return element("div", { hidden: true });
  const shown = element("div", { class: "preview paper" }, pictureOf(last.signature), pictureOf(last.initials));
  return element("div", {}, element("p", {}, texts.lastHint), shown);
}
