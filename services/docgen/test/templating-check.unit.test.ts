import { describe, expect, test } from "@jest/globals";
import { checkTemplate } from "../templating/check-job.ts";

const findingsOf = (content: string, format: "html" | "markdown" = "html"): string[] =>
  checkTemplate({ format, content }).findings.map(({ code, line, column }) => `${code} ${line}:${column}`);

const schemaOf = (content: string, format: "html" | "markdown" = "html") => {
  const { findings, schema } = checkTemplate({ format, content });
  expect(findings).toEqual([]);
  return schema;
};

describe("checkTemplate", () => {
  test.each<[string, string[]]>([
    ["<p>a</p>\n<p>{{ a | nope }}</p>", ["unknown_filter 2:11"]],
    ["<p>{{ a | raw }}</p>", ["unknown_filter 1:11"]],
    ["<p>{{ a | escape }}</p>", ["unknown_filter 1:11"]],
    ["a\r\nb\r\n  {% include 'x' %}", ["unknown_tag 3:3"]],
    [
      "{% render 'x' %}{% layout 'x' %}\n{% raw %}{% endraw %}",
      ["unknown_tag 1:1", "unknown_tag 1:17", "unknown_tag 2:1", "unknown_tag 2:10"],
    ],
    ["{% capture a %}{% endcapture %}", ["unknown_tag 1:1", "unknown_tag 1:16"]],
    ["<p>{{ a </p>", ["syntax_error 1:4"]],
    ["<p>\n {% if a </p>", ["syntax_error 2:2"]],
    ["{% if a %}x", ["unclosed_tag 1:1"]],
    ["{% if a %}{% for b in c %}{% endif %}", ["unclosed_tag 1:1", "unclosed_tag 1:11", "misplaced_tag 1:27"]],
    ["{% endif %}", ["misplaced_tag 1:1"]],
    ["{% else %}", ["misplaced_tag 1:1"]],
    ["{% if a %}{% else %}{% else %}{% endif %}", ["misplaced_tag 1:21"]],
    ["{% break %}", ["misplaced_tag 1:1"]],
    ["{% for a b %}{% endfor %}", ["syntax_error 1:1"]],
    ["{% for a in b foo: 1 %}{% endfor %}", ["syntax_error 1:15"]],
    ["{% for a in b offset: continue %}{% endfor %}", ["syntax_error 1:15"]],
    ["{{ a b }}", ["syntax_error 1:6"]],
    ["{{ (1..9) | join }}", ["syntax_error 1:4"]],
    ["{{ a.__proto__ }}", ["syntax_error 1:4"]],
    ["{{ forloop.constructor }}", ["unknown_property 1:4"]],
    ['{{ a | money: "Euro" }}', ["invalid_argument 1:8"]],
    ["{{ a | money }}", ["invalid_argument 1:8"]],
    ["{{ a | number: 99 }}", ["invalid_argument 1:8"]],
    ['{{ a | date: "%Q" }}', ["invalid_argument 1:8"]],
    ["{{ a | upcase: 1 }}", ["invalid_argument 1:8"]],
    ["{{ a | newline_to_br | upcase }}", ["misplaced_filter 1:8"]],
    ["{% comment %}{% nope %}{{ a | nope }}{% endcomment %}", []],
  ])("finds in the Liquid %j %j", (content, findings) => {
    expect(findingsOf(content)).toEqual(findings);
  });

  test.each<[string, string[]]>([
    ["<p>a</p>\n  <script>alert(1)</script>", ["element_forbidden 2:3"]],
    ["{{ a }}\n<p onclick='x'>a</p>", ["attribute_forbidden 2:4"]],
    ["<p class='nope'>a</p>", ["attribute_forbidden 1:4"]],
    ["<p class='lead small' style='text-align: center; width: 50%'>a</p>", []],
    ["<p style='color: red'>a</p>", ["attribute_forbidden 1:4"]],
    ["<p style='width: calc(1%)'>a</p>", ["attribute_forbidden 1:4"]],
    ["<a href='javascript:alert(1)'>a</a>", ["url_forbidden 1:4"]],
    ["<a href='#a'>a</a>", ["url_forbidden 1:4"]],
    ["<a href='{{ a }}'>a</a><a href='https://a.b/{{ a }}'>a</a>", []],
    ["<a href={{ a }}>a</a>", ["misplaced_output 1:9"]],
    ["<img src='https://a.b/c.png' alt=''>", ["attribute_forbidden 1:6"]],
    ["<img src='{{ a }}' alt='{{ b }}'>", []],
    ["<img src='asset:{{ a }}' alt=''>", ["misplaced_output 1:17"]],
    ["<img src='asset:0190b0c0-0000-7000-8000-000000000001'>", ["missing_attribute 1:1"]],
    ["<{{ a }}>", ["misplaced_output 1:2"]],
    ["<p {{ a }}>x</p>", ["misplaced_output 1:4"]],
    ["<p class='{{ a }}'>x</p>", ["misplaced_output 1:11"]],
    ["&{{ a }};", ["misplaced_output 1:2"]],
    ["<!-- a --><p>x</p>", []],
    ["<!-- {{ a }} -->", ["misplaced_output 1:6"]],
    ["<p>a", ["malformed_html 1:1"]],
    ["<ul><li>a<li>b</ul>", ["malformed_html 1:5", "malformed_html 1:10"]],
    ["{% if a %}<b>{% endif %}x</b>", ["unbalanced_branch 1:14"]],
    ["<b>{% if a %}</b><b>{% endif %}x</b>", ["unbalanced_branch 1:21"]],
    ["{% if a %}<b>x</b>{% else %}<i>x{% endif %}</i>", ["unbalanced_branch 1:33"]],
    ["{% for a in b %}<b>{% if a %}{% break %}{% endif %}</b>{% endfor %}", ["unbalanced_branch 1:30"]],
    ["<table>{% for a in b %}<tr><td>{{ a }}</td></tr>{% endfor %}</table>", []],
    ["<table>{{ a }}<tr><td>x</td></tr></table>", ["malformed_html 1:1"]],
    ["<p class='{% if a %}lead{% else %}small{% endif %}'>x</p>", []],
    ["<p {% if a %}class='lead'{% endif %}>x</p>", ["misplaced_tag 1:4", "misplaced_tag 1:26"]],
    ["<p>a\u202eb</p>", ["control_character 1:5"]],
  ])("finds in the HTML %j %j", (content, findings) => {
    expect(findingsOf(content)).toEqual(findings);
  });

  test.each<[string, string[]]>([
    ["# {{ a }}\n\n**{{ b }}** [c]({{ c }})", []],
    ["a\n\n{% if a %}\n<b>x</b>\n{% endif %}", ["element_forbidden 4:1", "element_forbidden 4:5"]],
    ["{{ a }}\n\n[x](javascript:alert)", ["url_forbidden 3:1"]],
    ["{% if a %}\n{% endif %}\n![x](https://a.b/c.png)", ["attribute_forbidden 3:1"]],
    ["![x]({{ a }})", []],
    ["![x](asset:{{ a }})", ["misplaced_output 1:12"]],
    ["|a|b|\n|-|-|\n{% for x in y %}\n|1|2|3|\n{% endfor %}", ["malformed_html 4:5"]],
    ["a \u0007", ["control_character 1:3"]],
  ])("finds in the Markdown %j %j", (content, findings) => {
    expect(findingsOf(content, "markdown")).toEqual(findings);
  });

  test("tells which assets the images show, each once", () => {
    const id = "0190B0C0-0000-7000-8000-000000000001";
    const html = `<img src="asset:${id}" alt=""><img src="asset:${id.toLowerCase()}" alt="">`;
    expect(checkTemplate({ format: "html", content: html }).assetIds).toEqual([id.toLowerCase()]);
    expect(checkTemplate({ format: "markdown", content: `![a](asset:${id})` }).assetIds).toEqual([id.toLowerCase()]);
  });

  test.each<[string, string]>([
    ["many tags", "{{a}}".repeat(104_000)],
    ["deep tags", "{% if a %}".repeat(52_000)],
    ["deep elements", "<b>".repeat(170_000)],
    ["an unclosed output", `{{ ${"a.".repeat(260_000)}`],
    ["a long path", `{{ ${"a.".repeat(260_000)}b }}`],
    ["a deep index", `{{ ${"a[".repeat(260_000)} }}`],
    ["many operators", `{{ ${"a and ".repeat(80_000)} b }}`],
    ["many filters", `{{ a ${"| upcase".repeat(60_000)} }}`],
    ["quotation marks", `{{ ${'"'.repeat(500_000)} }}`],
    ["many attributes", `<p ${"class='x' ".repeat(50_000)}>`],
    ["blanks", `{%- if a -%}${" ".repeat(500_000)}{%- endif -%}`],
    ["more than there may be", "a".repeat(524_289)],
  ])("answers %s within seconds", (_name, content) => {
    const start = performance.now();
    checkTemplate({ format: "html", content: content.slice(0, 524_300) });
    // Each takes less than two seconds on a machine that has nothing else to do.
    expect(performance.now() - start).toBeLessThan(25_000);
  });
});

describe("the schema", () => {
  test("has what a template uses, as what it uses it", () => {
    const schema = schemaOf(
      `<p>{{ number }} {{ customer.address.city | upcase }} {{ at | date: "short" }} {{ open | default: true }}</p>
      {% if vip %}<p>{{ discount | number: 1 }}</p>{% endif %}
      {% for item in items %}<p>{{ item.name }} {{ item.price | money: "EUR" }} {% if item.note %}{{ item.note }}{% endif %}</p>{% endfor %}
      {% assign first = people.first %}<p>{{ first.name }} {{ tags | join: ", " }} {{ rows | map: "total" | sum }}</p>
      {% if age >= 18 and state == "x" %}<p>{{ forloop }}</p>{% endif %}`.replace("{{ forloop }}", ""),
    );
    const text = { type: ["string", "number", "boolean"] };
    const optional = { type: ["string", "number", "boolean", "null"] };
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      additionalProperties: true,
      required: ["number", "customer", "at", "items", "people", "tags", "rows"],
      properties: {
        number: text,
        customer: {
          properties: { address: { properties: { city: text }, required: ["city"] } },
          required: ["address"],
        },
        at: { type: "string", anyOf: [{ format: "date" }, { format: "date-time" }] },
        open: optional,
        vip: {},
        discount: { type: ["number", "null"] },
        items: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "price"],
            properties: { name: text, price: { type: "number" }, note: optional },
          },
        },
        people: { type: "array", items: { type: "object", properties: { name: optional } } },
        tags: { type: "array", items: text },
        rows: { type: "array", items: { type: "object", properties: { total: { type: "number" } } } },
        age: { type: ["number", "null"] },
        state: {},
      },
    });
  });

  test("does not take local names for data", () => {
    const schema = schemaOf(
      "{% assign x = 1 %}{{ x }}{% for y in list %}{{ y }}{{ forloop.index }}{% endfor %}{{ y | default: 1 }}",
    );
    expect(Object.keys(schema?.properties as object)).toEqual(["list", "y"]);
  });

  test("does not need in all items what a jump, a condition or a limit may leave out", () => {
    const schema = schemaOf(
      `{% for i in a %}{{ i.one }}{% if i.skip %}{% continue %}{% endif %}{{ i.two }}{% endfor %}
      {% for i in b limit: 1 %}{{ i.one }}{% endfor %}
      {% if x %}{% for i in c %}{{ i.one }}{% endfor %}{% endif %}`,
    );
    const properties = schema?.properties as Record<string, { items: { required?: string[] } }>;
    expect(properties.a?.items.required).toEqual(["one"]);
    expect(properties.b?.items.required).toBeUndefined();
    expect(properties.c?.items.required).toBeUndefined();
  });

  test.each([
    ["{{ a }}\n{% for x in a %}{% endfor %}", "conflicting_use 2:13"],
    ["{{ a.b }}\n{{ a }}", "conflicting_use 2:4"],
    ['{{ a | date }} {{ a | money: "EUR" }}', "conflicting_use 1:19"],
    ["{% for x in a %}{{ x }}{{ x.y }}{% endfor %}", "conflicting_use 1:27"],
  ])("finds the conflict in %j", (content, finding) => {
    expect(findingsOf(content)).toEqual([finding]);
  });
});
