import { repeatable } from "../attempt.js";
import { announce, hash, make, whileDisabled } from "../dom.js";
import { like } from "../posts.js";
import { Unreachable } from "../server.js";
import * as session from "../session.js";

/**
 * The number of likes of a post and the like button, as `element`; it is `null` for a post without a `Likes` record. `take`
 * shows a change by others, or by this user on another device.
 */
export function likes(post) {
    if (post.likes === undefined) return { element: null, take: () => undefined };
    const number = make("span", { class: "number" });
    let { likes: count, isLiked } = post;
    const show = (value) => { number.textContent = value === 1 ? "1 like" : `${value} likes`; };
    show(count);
    if (session.current() === null) {
        const door = hash("sign-in", { from: location.hash });
        const element = make("p", { class: "likes" }, number, " ", make("a", { href: door }, "Sign in to like"));
        return { element, take: (change) => { if (change.likes !== undefined) show(change.likes); } };
    }

    const attempt = repeatable();
    const problem = make("span", { class: "wrong", role: "alert" });
    let isSending = false;
    let meanwhile = {}; // what changes have said while a request is under way
    async function press() {
        const wanted = !isLiked;
        problem.textContent = "";
        [isSending, meanwhile] = [true, {}];
        show(count + (wanted ? 1 : -1)); // The expected number; the response also includes the likes of others.
        try {
            const now = await attempt([post.name, wanted], (key) => like(post.name, wanted, key));
            if (!(meanwhile.counted >= now.counted)) meanwhile = now;
            meanwhile.isLiked = wanted;
            announce(wanted ? `You like “${post.title}”.` : `You no longer like “${post.title}”.`);
        } catch (error) {
            problem.textContent = error instanceof Unreachable
                ? "The server does not answer. Press again to try again; it counts once." : error.message;
        } finally {
            isSending = false;
            take(meanwhile);
        }
    }
    function take(change) {
        // While a request is under way, a number may include this like or not, so it is not added to.
        if (isSending) {
            Object.assign(meanwhile, change);
            return;
        }
        count = change.likes ?? count;
        if (change.isLiked !== undefined) {
            isLiked = change.isLiked;
            problem.textContent = ""; // The result is known, also if the response was lost.
        }
        show(count);
        name();
    }
    const button = make("button", { type: "button", onclick: () => whileDisabled(button, press) });
    function name() {
        button.textContent = isLiked ? "Unlike" : "Like";
        button.setAttribute("aria-label", `${button.textContent} “${post.title}”`);
    }
    name();
    return { element: make("p", { class: "likes" }, number, " ", button, problem), take };
}
