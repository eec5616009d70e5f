/**
 * Loaded once, before any run. The SDK makes an error for every promise of a run, only to note where the promise came from; that took
 * a third of the workflow thread. The error that it makes, without a message, has no trace here; every other one has its own.
 */
const traced = globalThis.Error;

const bare: ErrorConstructor = new Proxy(traced, {
  construct: (target, args, made): object =>
    args.length === 0 && made === bare ? Object.create(target.prototype) : Reflect.construct(target, args, made),
});

globalThis.Error = bare;
