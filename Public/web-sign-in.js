// What the sign-in page does without its elements: the words, the requests, and the delivery of the web auth token.

const english = {
    language: "en",
    title: (app) => `Sign in to ${app}`,
    signIn: "Sign in",
    name: "User name",
    password: "Password",
    staysSignedIn: "Keep me signed in",
    nameMissing: "Type your user name first.",
    passwordMissing: "Type your password first.",
    cancel: "Cancel",
    receiver: ({ callback, targetOrigins = [] }) => callback !== undefined
        ? `Then ${receiverOf(callback)} may act in your name.`
        : targetOrigins.includes("*") ? "Then the page that opened this window may act in your name."
            : `Then ${targetOrigins.join(", ")} may act in your name.`,
    signedIn: "You are signed in",
    posted: "You can close this window.",
    gaveUp: "The person closed the sign-in page.",
    noOpener: "This window was not opened by an app, so no app knows of the sign-in. Open it from the app.",
    impossible: "Signing in is not possible",
    wrong: "The user name or the password is wrong.",
    disabled: "This account is disabled. Ask an administrator.",
    throttled: (seconds) => `Too many attempts. Try again in ${seconds} seconds.`,
    tooShort: "A password has at least 8 characters.",
    originRejected: "The page that opened this window may not sign people in to this app.",
    unknownApp: "The server does not know this app. Open this window from the app again.",
    offline: "The server cannot be reached. Check the connection and try again.",
    broken: "The server could not do it now. Try again shortly.",
};

const japanese = {
    language: "ja",
    title: (app) => `${app} にサインイン`,
    signIn: "サインイン",
    name: "ユーザー名",
    password: "パスワード",
    staysSignedIn: "サインインしたままにする",
    nameMissing: "ユーザー名を入力してください。",
    passwordMissing: "パスワードを入力してください。",
    cancel: "キャンセル",
    receiver: ({ callback, targetOrigins = [] }) => callback !== undefined
        ? `サインインすると、${receiverOf(callback)} があなたに代わって操作できるようになります。`
        : targetOrigins.includes("*")
            ? "サインインすると、このウインドウを開いたページがあなたに代わって操作できるようになります。"
            : `サインインすると、${targetOrigins.join("、")} があなたに代わって操作できるようになります。`,
    signedIn: "サインインしました",
    posted: "このウインドウを閉じてかまいません。",
    gaveUp: "サインインのページが閉じられました。",
    noOpener: "このウインドウはアプリから開かれていないため、サインインをアプリに伝えられません。アプリから開き直してください。",
    impossible: "サインインできません",
    wrong: "ユーザー名またはパスワードが違います。",
    disabled: "このアカウントは無効になっています。管理者にお問い合わせください。",
    throttled: (seconds) => `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
    tooShort: "パスワードは 8 文字以上です。",
    originRejected: "このウインドウを開いたページは、このアプリへのサインインに使えません。",
    unknownApp: "サーバーにこのアプリが登録されていません。アプリからもう一度開いてください。",
    offline: "サーバーに接続できません。接続を確認して、もう一度お試しください。",
    broken: "サーバーが処理できませんでした。しばらくしてからもう一度お試しください。",
};

/** Whether a callback is the scheme of an app that is no web page, such as `cloudkit-icloud.org.example.a://`. */
function isOfApp(address) {
    return !/^https?:/i.test(address);
}

/** Who gets the token: a page's origin, or the scheme of an app. */
function receiverOf(address) {
    return isOfApp(address) ? address.split(":")[0] : new URL(address).origin;
}

/** The words in the first known one of `languages`, such as `["ja-JP", "en"]`; English if none is known. */
export function chooseWords(languages) {
    for (const language of languages ?? []) {
        const first = language.toLowerCase().split("-")[0];
        if (first === "ja") return japanese;
        if (first === "en") return english;
    }
    return english;
}

/** The parameters of the page's URL. */
export function parametersOf(search) {
    const query = new URLSearchParams(search);
    const parameters = { token: query.get("token") ?? "", scope: {} };
    for (const key of ["container", "environment"]) {
        if (query.has(key)) parameters.scope[key] = query.get(key);
    }
    if (query.has("origin")) parameters.origin = query.get("origin");
    return parameters;
}

/** An error response of the server, or no response. */
export class SignInError extends Error {
    /** - `status`: the status; 0 without a response. - `body`: the error as the server sent it. */
    constructor(status, body = {}) {
        super(body.reason ?? "no response");
        this.status = status;
        this.cause = body.details?.cause;
        this.retryAfter = body.retryAfter;
    }
}

/** A sentence for an error of a request. */
export function explain(error, words) {
    if (!(error instanceof SignInError)) return words.broken;
    if (error.status === 0) return words.offline;
    if (error.status === 400) return words.tooShort;
    if (error.status === 401) return words.wrong;
    if (error.status === 403) return error.cause === "ACCOUNT_DISABLED" ? words.disabled : words.originRejected;
    if (error.status === 404) return words.unknownApp;
    if (error.status === 429) return words.throttled(error.retryAfter ?? 60);
    return words.broken;
}

function addressOf(base, { token, scope }, more = {}) {
    const query = new URLSearchParams({ ...scope, ...more }).toString();
    return `${base}/cloudkit/sign-in/${encodeURIComponent(token)}${query === "" ? "" : `?${query}`}`;
}

async function send(fetch, address, options) {
    let response;
    try {
        response = await fetch(address, { cache: "no-store", credentials: "omit", redirect: "error", ...options });
    } catch {
        throw new SignInError(0);
    }
    const body = await response.json().catch(() => ({}));
    if (!response.ok) throw new SignInError(response.status, body);
    return body;
}

/** Returns the app's name and the receivers of the token: `{name, callback?, targetOrigins?}`. */
export function requestTarget(fetch, base, parameters) {
    if (parameters.token === "") throw new SignInError(404);
    const more = parameters.origin === undefined ? {} : { origin: parameters.origin };
    return send(fetch, addressOf(base, parameters, more));
}

/** Signs in. Returns `{webAuthToken, redirectURL?, targetOrigins?}`. */
export function requestSignIn(fetch, base, parameters, { name, password, staysSignedIn }) {
    const body = { name, password, staysSignedIn };
    if (parameters.origin !== undefined) body.origin = parameters.origin;
    return send(fetch, addressOf(base, parameters), {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
    });
}

/**
 * Gives the token to the app: goes to the callback URL, or posts a message to the page that opened the window. The
 * server has chosen the origins; the browser gives the message to no page of another one. Returns `"redirected"`,
 * `"posted"`, or `"undelivered"` if no page has opened the window. After a callback to an app that is no web page, this
 * page stays, so that is `"posted"` too.
 *
 * CloudKit JS reads `ckSession` of the message, other clients `ckWebAuthToken`. Both are the same text.
 */
export function deliver({ webAuthToken, redirectURL, targetOrigins = [] }, window) {
    if (redirectURL !== undefined) {
        window.location.replace(redirectURL);
        return isOfApp(redirectURL) ? "posted" : "redirected";
    }
    if (window.opener === null || window.opener === undefined || targetOrigins.length === 0) return "undelivered";
    const message = { ckWebAuthToken: webAuthToken, ckSession: webAuthToken };
    for (const origin of targetOrigins) window.opener.postMessage(message, origin);
    return "posted";
}

/**
 * Tells the page that opened the window that there will be no token, as `{errorMessage}`. CloudKit JS then stops waiting
 * with SIGN_IN_FAILED. The message holds no secret, so it goes to a page of any origin: the page may be one that this app
 * does not permit. Returns whether a page has opened the window.
 */
export function giveUp(errorMessage, window) {
    if (window.opener === null || window.opener === undefined) return false;
    window.opener.postMessage({ errorMessage }, "*");
    return true;
}
