// Reports of the module are those of the native client, byte for byte.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Client, testing } from "../index.mjs";

const path = new URL("../../../../fixtures/ldp/vectors/clients.json", import.meta.url);
const { clients } = JSON.parse(readFileSync(path, "utf8"));

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (array) => Buffer.from(array).toString("hex");
const labels = (client, row) => row.map((value, i) => client.features[i].values[value]);

for (const vector of clients) {
  test(`${vector.name}: schema, reports and memoised responses are those of the vectors`, async () => {
    const client = await Client.open(bytes(vector.schema));
    assert.equal(client.schemaDigest, vector.digest);
    assert.equal(client.epsilonPerReport, vector.epsilon_per_report);
    assert.equal(client.reportBytes, vector.report_bytes);
    for (const { seed, row, report } of vector.reports) {
      assert.equal(hex(testing.randomiseWith(client, labels(client, row), bytes(seed))), report);
    }
    for (const { seed, row, memoized, reports } of vector.memoized) {
      const stored = testing.memoizeWith(client, labels(client, row), bytes(seed));
      assert.equal(hex(stored), memoized);
      for (const { seed, report } of reports) {
        assert.equal(hex(testing.reportWith(client, stored, bytes(seed))), report);
      }
    }
    client.close();
  });
}

test("rows by name, fresh randomness, and refusals that do not show the answer", async () => {
  const vector = clients.find(({ name }) => name === "every protocol");
  const client = await Client.open(bytes(vector.schema));
  const row = Object.fromEntries(client.features.map(({ name, values }) => [name, values[1]]));
  const reports = new Set(Array.from({ length: 20 }, () => hex(client.randomise(row))));
  assert.equal(reports.size, 20);
  assert.equal(client.report(client.memoize(row)).length, client.reportBytes);

  const off = { ...row, [client.features[2].name]: "a secret answer" };
  assert.throws(() => client.randomise(off), (error) => error instanceof RangeError && !error.message.includes("secret"));
  assert.throws(() => client.report(new Uint8Array(80)), /memoised response/);
  client.close();
  assert.throws(() => client.randomise(row), /closed/);
});

test("a damaged schema, and bytes that are not a schema, are refused", async () => {
  const schema = bytes(clients[0].schema);
  schema[20] ^= 1;
  await assert.rejects(Client.open(schema), /damaged/);
  await assert.rejects(Client.open(bytes("00")), /schema/);
});
