// The baseline of P1: what Express 5 does with a JSON request when nothing else happens.
// Parses the body, hashes it, answers JSON. Prints its port when it listens.
import { createHash } from "node:crypto";
import express from "express";

const app = express();
app.disable("x-powered-by");
app.set("etag", false);
app.use(express.json());
app.post("/echo", (request, response) => {
  const hash = createHash("sha256").update(JSON.stringify(request.body)).digest("hex");
  response.status(201).json({ hash, userRef: request.body.userRef });
});
app.get("/echo", (_request, response) => {
  response.json({ ok: true });
});
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
});
