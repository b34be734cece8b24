/** A contract on one page with twenty merge fields: what P8 measures, through the product and without it. */
const names = Array.from({ length: 20 }, (_, index) => `field${index + 1}`);

const sentence =
  "The parties agree on what follows, and neither of them departs from it without the written consent of the other.";

export const contractContent = [
  "<h1>Service agreement between {{ field1 }} and {{ field2 }}</h1>",
  ...names.slice(2, 14).map((name, index) => `<p>${index + 1}. {{ ${name} }}: ${sentence}</p>`),
  "<table><tr><th>Item</th><th>Value</th></tr>",
  ...names.slice(14).map((name) => `<tr><td>${name}</td><td>{{ ${name} }}</td></tr>`),
  "</table>",
].join("\n");

/** Every document is another one, so that nothing is set from memory. */
export const contractData = (number: string | number): Record<string, string> =>
  Object.fromEntries(names.map((name, index) => [name, `Value ${index + 1} of ${number}`]));
