// The client of local differential privacy for JavaScript: a thin wrapper around ldp_client.wasm.
//
// Two buffers are shared with the module: `ldp_input(length)` gives room to write to, and results stand at
// `ldp_output()`. The memory may have moved after any call, so views are made anew each time.

const SEED_BYTES = 32;
const FAILED = -1;

/** The module that this package brings: a file for Node, a resource for browsers. */
async function packagedModule() {
  const url = new URL("./ldp_client.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  return WebAssembly.compile(await (await fetch(url)).arrayBuffer());
}

async function moduleOf(wasm) {
  if (wasm === undefined) return packagedModule();
  return wasm instanceof WebAssembly.Module ? wasm : WebAssembly.compile(wasm);
}

/** Unpredictable bytes: every report takes fresh ones. */
function entropy() {
  return globalThis.crypto.getRandomValues(new Uint8Array(SEED_BYTES));
}

function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Makes reports under one schema. */
export class Client {
  #exports;
  #handle;
  #description;

  constructor(exports, handle, description) {
    this.#exports = exports;
    this.#handle = handle;
    this.#description = description;
    Object.freeze(this);
  }

  /** Opens the client of a schema, the bytes of `Schema::to_bytes`. */
  static async open(schema, { wasm } = {}) {
    const { exports } = await WebAssembly.instantiate(await moduleOf(wasm), {});
    write(exports, schema);
    const handle = exports.ldp_open();
    if (handle === FAILED) throw new Error(text(exports));
    succeed(exports, exports.ldp_describe(handle));
    return new Client(exports, handle, JSON.parse(text(exports)));
  }

  /** What the schema asks: name, protocol, epsilon and values of every feature. */
  get features() {
    return structuredClone(this.#description.features);
  }

  /** Epsilon of one report; null where it is infinite. Reports about one person add up. */
  get epsilonPerReport() {
    return this.#description.epsilonPerReport;
  }

  /** Bytes of every report. */
  get reportBytes() {
    return this.#description.reportBytes;
  }

  /** SHA-256 of the schema, in hexadecimal digits. */
  get schemaDigest() {
    return this.#description.digest;
  }

  /** One report about a row. */
  randomise(row) {
    return randomiseWith(this, row, entropy());
  }

  /** The row with its permanent stage drawn: store the bytes as confidentially as the row. */
  memoize(row) {
    return memoizeWith(this, row, entropy());
  }

  /** One report from a memoised response. */
  report(memoized) {
    return reportWith(this, memoized, entropy());
  }

  /** Frees the client. */
  close() {
    this.#exports.ldp_close(this.#handle);
  }

  /** Calls a function of the module with bytes; its result. */
  static call(client, name, input) {
    write(client.#exports, input);
    succeed(client.#exports, client.#exports[name](client.#handle));
    return output(client.#exports);
  }

  /** The positions of a row's values, 4 bytes each. */
  static positions(client, row) {
    const features = client.#description.features;
    const values = Array.isArray(row) ? row : features.map(({ name }) => row[name]);
    if (values.length !== features.length) throw new RangeError(`a row has ${features.length} values, one for each feature`);
    const bytes = new DataView(new ArrayBuffer(4 * values.length));
    values.forEach((value, i) => {
      const position = features[i].values.indexOf(value);
      // The message names the feature, never the answer.
      if (position < 0) throw new RangeError(`the value of feature ${JSON.stringify(features[i].name)} is not one of its ${features[i].values.length}`);
      bytes.setUint32(4 * i, position, true);
    });
    return new Uint8Array(bytes.buffer);
  }
}

function write(exports, bytes) {
  const at = exports.ldp_input(bytes.length);
  new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
}

function output(exports) {
  return new Uint8Array(exports.memory.buffer, exports.ldp_output(), exports.ldp_output_length()).slice();
}

function text(exports) {
  return new TextDecoder().decode(output(exports));
}

function succeed(exports, code) {
  if (code === FAILED) throw new Error(text(exports));
}

function randomiseWith(client, row, seed) {
  return Client.call(client, "ldp_randomise", concat(seed, Client.positions(client, row)));
}

function memoizeWith(client, row, seed) {
  return Client.call(client, "ldp_memoize", concat(seed, Client.positions(client, row)));
}

function reportWith(client, memoized, seed) {
  return Client.call(client, "ldp_report", concat(seed, memoized));
}

/** For tests of the package alone: reports from bytes that are not random protect nobody. */
export const testing = Object.freeze({ randomiseWith, memoizeWith, reportWith });
