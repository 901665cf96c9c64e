/** What an agent knows of a file: the state of the disk when it last read or wrote it. */
export interface KnownFile {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes seen, hex. */
  readonly hash: string;
  /** Only part of the file was shown. */
  readonly partial: boolean;
}

/** Per agent, by real path: lets Write and Edit refuse a file that changed since it was read. */
export class FileState {
  private readonly known = new Map<string, KnownFile>();

  note(realPath: string, file: KnownFile): void {
    this.known.set(realPath, file);
  }

  get(realPath: string): KnownFile | undefined {
    return this.known.get(realPath);
  }

  forget(realPath: string): void {
    this.known.delete(realPath);
  }
}
