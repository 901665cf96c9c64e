/** Made at the first call and kept. Schemas that a start does not need are made like this: each costs a start some time. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
