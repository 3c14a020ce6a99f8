// Links that carry an invitation. It is in the part after `#`, which browsers do not send, so no server logs it.

const key = "fogbase.signUpPage";
const appKey = "fogbase.appPage";
const name = "invitation";
const appName = "app";

/** The address of a page of the console for people: without the version that is in the address of this module. */
export function pageAddress(page) {
    return import.meta.url.replace(/\/_\/.*$/, `/_/${page}`);
}

/** The sign-up page of this server for a container and environment. */
export function ownPage({ container, environment }, address = pageAddress("signup.html")) {
    const page = new URL(address);
    for (const [key_, value] of Object.entries({ container, environment })) if (value !== undefined) page.searchParams.set(key_, value);
    return page.href;
}

/** A page's URL with the invitation, and with the address of the app if it is for the page of this server. */
export function link(token, page, app = "") {
    const address = new URL(page);
    const parameters = new URLSearchParams(address.hash.slice(1));
    parameters.set(name, token);
    if (app !== "") parameters.set(appName, app);
    address.hash = parameters.toString();
    return address.href;
}

/** The invitation in a link or its `#` part, or in a text that is only the invitation; an empty text if there is none. */
export function invitationIn(text) {
    const bare = text.trim();
    if (/^fbi_[\w-]+$/.test(bare)) return bare;
    return new URLSearchParams(bare.slice(bare.indexOf("#") + 1)).get(name) ?? "";
}

/** The address of the app in the `#` part of a link; an empty text if there is none. */
export function appIn(hash) {
    const found = new URLSearchParams(hash.slice(hash.indexOf("#") + 1)).get(appName) ?? "";
    return isPage(found) ? found : "";
}

/** Whether a text can be the address of a page. */
export function isPage(text) {
    try {
        return ["http:", "https:"].includes(new URL(text).protocol);
    } catch {
        return false;
    }
}

/** The page that this device used last, or an empty text for that of the server. */
export function chosenPage() {
    return localStorage.getItem(key) ?? "";
}

export function choosePage(page) {
    if (page === "") localStorage.removeItem(key);
    else localStorage.setItem(key, page);
}

/** The app to which this device's last link led, or an empty text. */
export function chosenApp() {
    return localStorage.getItem(appKey) ?? "";
}

export function chooseApp(app) {
    if (app === "") localStorage.removeItem(appKey);
    else localStorage.setItem(appKey, app);
}
