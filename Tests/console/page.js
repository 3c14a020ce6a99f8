// What modules of the console read when they are loaded, so that tests can load them without a browser.

globalThis.location ??= { search: "", hash: "", pathname: "/_/" };
globalThis.sessionStorage ??= { getItem: () => null, setItem() {}, removeItem() {} };
globalThis.window ??= { addEventListener() {} };
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
