export function memoryStore() {
  let kept = null;
  return {
    load: async () => kept,
    save: async (text) => { kept = text; },
  };
}

export function webStore(storage, name = 'stoa-lease') {
  return {
    load: async () => storage.getItem(name),
    save: async (text) => storage.setItem(name, text),
  };
}
