import assert from "node:assert/strict";
import test from "node:test";

import {
    chooseWords, deliver, explain, giveUp, parametersOf, requestSignIn, requestTarget, SignInError,
} from "../../Public/web-sign-in.js";

const english = chooseWords(["en-US"]);
const parameters = parametersOf("?token=abc&container=iCloud.org.example.A&environment=production&origin=https%3A%2F%2Fa.org");

/** A `fetch` with one response, which remembers the request. */
function responding(status, body) {
    const calls = [];
    const fetch = async (address, options) => {
        calls.push({ address, options });
        return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
    };
    return { fetch, calls };
}

function windowWith(opener) {
    const went = [];
    return { opener, went, location: { replace: (address) => went.push(address) } };
}

test("the words are in the first known language, and both languages have all of them", () => {
    for (const [languages, language] of [
        [["ja"], "ja"], [["fr", "ja-JP", "en"], "ja"], [["en-GB", "ja"], "en"], [["fr"], "en"], [[], "en"], [undefined, "en"],
    ]) assert.equal(chooseWords(languages).language, language, String(languages));
    const japanese = chooseWords(["ja"]);
    assert.deepEqual(Object.keys(english), Object.keys(japanese));
    for (const key of Object.keys(english)) assert.equal(typeof english[key], typeof japanese[key], key);
});

test("the page names the app and who will act for the person", () => {
    for (const words of [english, chooseWords(["ja"])]) {
        assert.match(words.title("Orchard"), /Orchard/);
        assert.match(words.receiver({ callback: "https://b.org/in?x=1" }), /https:\/\/b\.org(?!\/)/);
        assert.match(words.receiver({ callback: "cloudkit-icloud.org.example.A://in?x" }), /cloudkit-icloud\.org\.example\.A(?!:)/);
        assert.match(words.receiver({ targetOrigins: ["https://a.org"] }), /https:\/\/a\.org/);
        assert.doesNotMatch(words.receiver({ targetOrigins: ["*"] }), /\*/);
    }
});

test("requests name the app, its database and the origin, and send no cookie", async () => {
    const target = responding(200, { name: "Orchard", targetOrigins: ["https://a.org"] });
    assert.deepEqual(await requestTarget(target.fetch, "/fog", parameters), { name: "Orchard", targetOrigins: ["https://a.org"] });
    assert.equal(target.calls[0].address,
        "/fog/cloudkit/sign-in/abc?container=iCloud.org.example.A&environment=production&origin=https%3A%2F%2Fa.org");
    const signIn = responding(201, { webAuthToken: "t" });
    await requestSignIn(signIn.fetch, "", parameters, { name: "ann", password: "correct horse", staysSignedIn: true });
    const { address, options } = signIn.calls[0];
    assert.equal(address, "/cloudkit/sign-in/abc?container=iCloud.org.example.A&environment=production");
    assert.equal(options.method, "POST");
    assert.equal(options.credentials, "omit");
    assert.deepEqual(JSON.parse(options.body),
        { name: "ann", password: "correct horse", staysSignedIn: true, origin: "https://a.org" });
    const strange = responding(200, {});
    await requestTarget(strange.fetch, "", parametersOf("?token=..%2Fkeys%3Fx"));
    assert.equal(strange.calls[0].address, "/cloudkit/sign-in/..%2Fkeys%3Fx");
});

test("each error has its sentence", async () => {
    for (const [status, body, sentence] of [
        [400, {}, english.tooShort], [401, {}, english.wrong],
        [403, { details: { cause: "ACCOUNT_DISABLED" } }, english.disabled], [403, {}, english.originRejected],
        [404, {}, english.unknownApp], [429, { retryAfter: 7 }, english.throttled(7)], [500, "<html>", english.broken],
        [503, {}, english.broken],
    ]) {
        const { fetch } = responding(status, body);
        const error = await requestTarget(fetch, "", parameters).then(() => null, (error) => error);
        assert.equal(explain(error, english), sentence, String(status));
    }
    const offline = await requestTarget(async () => { throw new TypeError("x"); }, "", parameters).catch((error) => error);
    assert.equal(explain(offline, english), english.offline);
    assert.equal(explain(new TypeError("x"), english), english.broken);
    assert.throws(() => requestTarget(async () => {}, "", parametersOf("")), SignInError);
});

test("the token goes to the opener's allowed origins only, or to the callback URL", () => {
    const messages = [];
    const opener = { postMessage: (message, origin) => messages.push([message, origin]) };
    const window = windowWith(opener);
    assert.equal(deliver({ webAuthToken: "t", targetOrigins: ["https://a.org", "https://b.org"] }, window), "posted");
    const message = { ckWebAuthToken: "t", ckSession: "t" };
    assert.deepEqual(messages, [[message, "https://a.org"], [message, "https://b.org"]]);
    // Without origins from the server, no page gets the token.
    assert.equal(deliver({ webAuthToken: "t" }, window), "undelivered");
    assert.equal(deliver({ webAuthToken: "t", targetOrigins: ["*"] }, windowWith(null)), "undelivered");
    assert.equal(messages.length, 2);
    const callback = "https://a.org/in?ckWebAuthToken=t&ckSession=t";
    assert.equal(deliver({ webAuthToken: "t", redirectURL: callback }, window), "redirected");
    assert.deepEqual(window.went, [callback]);
    // The page of an app's scheme stays open.
    const scheme = "CloudKit-iCloud.org.example.A://?ckWebAuthToken=t&ckSession=t";
    assert.equal(deliver({ webAuthToken: "t", redirectURL: scheme }, window), "posted");
    assert.deepEqual(window.went, [callback, scheme]);
    assert.equal(messages.length, 2);
});

/** What CloudKit JS 2.6.4 does with the messages of its sign-in window. */
function waitAsCloudKitJS(popup) {
    let stop;
    const signIn = new Promise((resolve, reject) => {
        stop = ({ data, source }) => {
            if (source !== popup || data === null || typeof data !== "object") return;
            if (data.errorMessage !== undefined) return reject(new Error(`SIGN_IN_FAILED: ${data.errorMessage}`));
            if (data.ckSession === undefined) return reject(new Error("UNKNOWN_ERROR"));
            resolve(data.ckSession);
        };
    });
    return { signIn, message: stop };
}

test("CloudKit JS gets the session of the message, or learns that there will be none", async () => {
    const popup = {};
    for (const [act, expected] of [
        [(window) => deliver({ webAuthToken: "t", targetOrigins: ["https://a.org"] }, window), "t"],
        [(window) => giveUp(english.gaveUp, window), `SIGN_IN_FAILED: ${english.gaveUp}`],
    ]) {
        const app = waitAsCloudKitJS(popup);
        const opener = {
            postMessage: (data, origin) => {
                if (["*", "https://a.org"].includes(origin)) app.message({ data: structuredClone(data), source: popup });
            },
        };
        act(windowWith(opener));
        assert.equal(await app.signIn.catch((error) => error.message), expected);
    }
    assert.equal(giveUp("x", windowWith(null)), false);
    assert.equal(giveUp("x", windowWith(undefined)), false);
});
