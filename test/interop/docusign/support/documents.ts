import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFDocument } from "pdf-lib";

/** A PDF of one page for each text, with the text on it. */
export async function pdfWith(...texts: readonly string[]): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  for (const text of texts) pdf.addPage([612, 792]).drawText(text, { x: 72, y: 500, size: 12 });
  return Buffer.from(await pdf.save());
}

/** The first document of the code examples, with their habits of HTML. */
export const orderHtml = `
    <!DOCTYPE html>
    <html>
        <head>
          <meta charset="UTF-8">
        </head>
        <body style="font-family:sans-serif;margin-left:2em;">
        <h1 style="font-family: 'Trebuchet MS', Helvetica, sans-serif;
            color: darkblue;margin-bottom: 0;">World Wide Corp</h1>
        <h2 style="font-family: 'Trebuchet MS', Helvetica, sans-serif;
          margin-top: 0px;margin-bottom: 3.5em;font-size: 1em;
          color: darkblue;">Order Processing Division</h2>
        <h4>Ordered by Ann Example</h4>
        <p style="margin-top:0em; margin-bottom:0em;">Email: ann@example.com</p>
        <p style="margin-top:0em; margin-bottom:0em;">Copy to: Cara Example, cara@example.com</p>
        <p style="margin-top:3em;">
  Candy bonbon pastry jujubes lollipop wafer biscuit biscuit. Topping brownie sesame snaps sweet roll pie.
        </p>
        <!-- Note the anchor tag for the signature field is in white. -->
        <h3 style="margin-top:3em;">Agreed: <span style="color:white;">**signature_1**/</span></h3>
        </body>
    </html>
  `;

export const termsText = "Terms of delivery\n\nWe deliver on the next day.\nAgreed: /sn1/\n";

export const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString("base64");

/** What pdfinfo says of a PDF. Throws when it is none. */
export function pdfInfo(bytes: Uint8Array): { readonly pages: number } {
  const folder = mkdtempSync(join(tmpdir(), "assent-pdf-"));
  const file = join(folder, "file.pdf");
  writeFileSync(file, bytes);
  try {
    const said = execFileSync("pdfinfo", [file], { encoding: "utf8", stdio: "pipe" });
    return { pages: Number(/^Pages:\s+(\d+)$/m.exec(said)?.[1]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
