import SignaturePad from "signature_pad";
import type { Adopted } from "#api/ceremony.ts";
import { button, element } from "./dom.ts";
import { fill } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

/** What somebody wants their signature and their initials to look like. */
export interface Adoption {
  readonly signature: Adopted;
  readonly initials: Adopted;
}

type Way = "type" | "draw" | "upload";

/** Asks for a signature; undefined when the person changes their mind. Typing is as good as drawing. */
export function askForSignature(name: string, texts: Texts): Promise<Adoption | undefined> {
  const nameInput = element("input", { type: "text", value: name, autocomplete: "name", maxlength: 100 });
  const initialsInput = element("input", { type: "text", value: initialsOf(name), maxlength: 10, autocomplete: "off" });
  const styles = stylePicker(nameInput, texts);
  const drawing = drawingPanel(texts);
  const upload = uploadPanel(texts);
  const problem = element("p", { class: "problem", role: "alert" });
  const panels: Record<Way, HTMLElement> = { type: styles.root, draw: drawing.root, upload: upload.root };
  const ways = wayPicker(texts, (way) => {
    for (const [one, panel] of Object.entries(panels)) panel.hidden = one !== way;
    if (way === "draw") drawing.fit();
  });

  return new Promise((resolve) => {
    const dialog = element("dialog", { class: "dialog", "aria-labelledby": "adopt-heading" });
    const finish = (adoption: Adoption | undefined): void => {
      resolve(adoption);
      dialog.close();
    };
    const adopt = (): void => {
      const typed = nameInput.value.trim();
      const short = initialsInput.value.trim();
      const png = ways.chosen() === "type" ? "" : ways.chosen() === "draw" ? drawing.png() : upload.png();
      const isMissing = typed === "" || short === "";
      problem.textContent = isMissing ? texts.nameMissing : png === undefined ? texts.drawingMissing : "";
      if (isMissing || png === undefined) return;
      const font = styles.chosen();
      finish({ signature: { typed, font, drawnPng: png }, initials: { typed: short, font, drawnPng: "" } });
    };
    dialog.append(
      element("h2", { id: "adopt-heading" }, texts.adoptHeading),
      element("div", { class: "pair" }, labelled(texts.fullName, nameInput), labelled(texts.initials, initialsInput)),
      ways.root,
      ...Object.values(panels),
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
    nameInput.focus();
  });
}

const labelled = (text: string, control: HTMLElement): HTMLElement => element("label", {}, text, control);

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return words
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("")
    .slice(0, 4);
}

function wayPicker(texts: Texts, onChoice: (way: Way) => void) {
  let chosen: Way = "type";
  const names: Record<Way, string> = { type: texts.adoptType, draw: texts.adoptDraw, upload: texts.adoptUpload };
  const choices = (Object.keys(names) as Way[]).map((way) => {
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
  let chosen: Adopted["font"] = signatureFonts[0];
  const samples: HTMLElement[] = [];
  const choices = signatureFonts.map((font, index) => {
    const sample = element("span", { class: `typed font-${font}`, "aria-hidden": "true" });
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
    return element("label", { class: "choice sample" }, input, sample);
  });
  const update = (): void => {
    for (const sample of samples) sample.textContent = nameInput.value;
  };
  nameInput.addEventListener("input", update);
  update();
  return {
    root: element("fieldset", { class: "styles" }, element("legend", {}, texts.style), ...choices),
    chosen: () => chosen,
  };
}

function drawingPanel(texts: Texts) {
  const canvas = element("canvas", { class: "drawing", role: "img", "aria-label": texts.drawHint });
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

/** Large enough to print well. */
const uploadWidth = 600;
const uploadHeight = 200;

function uploadPanel(texts: Texts) {
  let png: string | undefined;
  const preview = element("div", { class: "preview" });
  const input = element("input", { type: "file", accept: "image/png,image/jpeg" });
  const problem = element("p", { class: "problem", role: "alert" });
  input.addEventListener("change", async () => {
    problem.textContent = "";
    png = undefined;
    preview.replaceChildren();
    const file = input.files?.[0];
    if (file === undefined) return;
    try {
      const picture = await createImageBitmap(file);
      const scale = Math.min(uploadWidth / picture.width, uploadHeight / picture.height, 1);
      const canvas = element("canvas", {
        width: Math.max(1, Math.round(picture.width * scale)),
        height: Math.max(1, Math.round(picture.height * scale)),
      });
      canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
      png = base64Of(canvas);
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

const base64Of = (canvas: HTMLCanvasElement): string => canvas.toDataURL("image/png").split(",")[1] ?? "";

/** Only what was drawn, so that it fills its place in the document. */
function trimmed(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  if (context === null || width === 0 || height === 0) return canvas;
  const { data } = context.getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (data[(y * width + x) * 4 + 3] === 0) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  if (right < left) return canvas;
  const part = element("canvas", { width: right - left + 1, height: bottom - top + 1 });
  part.getContext("2d")?.drawImage(canvas, -left, -top);
  return part;
}

const signatureFonts = ["dancing-script", "caveat", "great-vibes"] as const satisfies readonly Adopted["font"][];
