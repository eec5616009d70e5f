/** A Map that keeps its `most` latest entries. Each `set` also deletes outdated entries. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(
    private readonly most: number,
    private readonly isOutdated: (value: Value) => boolean = () => false,
  ) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    this.prune();
    return this;
  }

  /** Deletes outdated entries and those above `most`, oldest first. */
  prune(): void {
    for (const [key, value] of this) {
      if (this.size <= this.most && !this.isOutdated(value)) return;
      this.delete(key);
    }
  }
}
