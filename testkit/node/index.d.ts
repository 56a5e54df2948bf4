export interface OrreryOptions {
  /** Options of the server's command line, such as `--profile=cosmos` or `--test-commands`. */
  options?: string[];
  /** Any free port if not given. */
  port?: number;
  /** The database that `getUri()` names if it is given none. */
  dbName?: string;
  /** The Java to run, else that of JAVA_HOME, else the one on the path; 17 or newer. */
  java?: string;
  /** The server, else what ORRERY_JAR names, else the one in this package or in the project around it. */
  jar?: string;
}

/** A server that ends with this process at the latest, and keeps nothing. */
export class Orrery {
  static create(options?: OrreryOptions): Promise<Orrery>;
  readonly port: number;
  getUri(dbName?: string): string;
  /** Ends it; a second call does nothing. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The same under the name that test suites know. */
export { Orrery as MongoMemoryServer };
