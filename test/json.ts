// JSON bodies, as tests read them.

/** What a JSON body may hold; tests look into it by path. */
export interface Json {
  readonly [name: string]: Json
}

/** A JSON array as an array. */
export const list = (json: Json | undefined): readonly Json[] => json as unknown as readonly Json[]
