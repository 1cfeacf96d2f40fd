/** A question of the schema. */
export interface Feature {
  readonly name: string;
  readonly protocol: "rr" | "ue" | "grr" | "lh" | "rappor" | "ss" | "parity" | "joint";
  /** Epsilon of one report about this feature; null where it is infinite. */
  readonly epsilon: number | null;
  /** Epsilon of all reports from one memoised response; null where every report is drawn afresh. */
  readonly epsilonForever: number | null;
  readonly values: readonly string[];
}

/** The answers of one person: a value for each feature, by name or in the order of the schema. */
export type Row = Readonly<Record<string, string>> | readonly string[];

/** Makes reports under one schema. */
export class Client {
  private constructor();

  /**
   * Opens the client of a schema.
   * @param schema the bytes of `Schema::to_bytes`
   * @param options `wasm`: the module or its bytes, where the packaged file cannot be fetched
   */
  static open(schema: Uint8Array, options?: { wasm?: BufferSource | WebAssembly.Module }): Promise<Client>;

  readonly features: readonly Feature[];
  /** Epsilon of one report; null where it is infinite. Reports about one person add up. */
  readonly epsilonPerReport: number | null;
  readonly reportBytes: number;
  /** SHA-256 of the schema, in hexadecimal digits. */
  readonly schemaDigest: string;

  /** One report about a row, from fresh random bytes. Two reports cost twice the epsilon. */
  randomise(row: Row): Uint8Array;
  /** The row with its permanent stage drawn: store the bytes as confidentially as the row. */
  memoize(row: Row): Uint8Array;
  /** One report from a memoised response. */
  report(memoized: Uint8Array): Uint8Array;
  /** Frees the client. */
  close(): void;
}

/** For tests of the package alone: reports from bytes that are not random protect nobody. */
export const testing: {
  randomiseWith(client: Client, row: Row, seed: Uint8Array): Uint8Array;
  memoizeWith(client: Client, row: Row, seed: Uint8Array): Uint8Array;
  reportWith(client: Client, memoized: Uint8Array, seed: Uint8Array): Uint8Array;
};
