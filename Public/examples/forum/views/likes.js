import { repeatable } from "../attempt.js";
import { announce, hash, make, whileDisabled } from "../dom.js";
import { like } from "../posts.js";
import { Unreachable } from "../server.js";
import * as session from "../session.js";

/** The number of likes of a post and the like button; `null` for a post without a `Likes` record. */
export function likes(post) {
    if (post.likes === undefined) return null;
    const number = make("span", { class: "number" });
    let { likes: count, isLiked } = post;
    const show = (value) => { number.textContent = value === 1 ? "1 like" : `${value} likes`; };
    show(count);
    if (session.current() === null) {
        const door = hash("sign-in", { from: location.hash });
        return make("p", { class: "likes" }, number, " ", make("a", { href: door }, "Sign in to like"));
    }

    const attempt = repeatable();
    const problem = make("span", { class: "wrong", role: "alert" });
    async function press() {
        const wanted = !isLiked;
        problem.textContent = "";
        show(count + (wanted ? 1 : -1)); // The expected number; the response also includes the likes of others.
        try {
            count = await attempt([post.name, wanted], (key) => like(post.name, wanted, key));
            isLiked = wanted;
            announce(isLiked ? `You like “${post.title}”.` : `You no longer like “${post.title}”.`);
        } catch (error) {
            problem.textContent = error instanceof Unreachable
                ? "The server does not answer. Press again to try again; it counts once." : error.message;
        } finally {
            show(count);
            name();
        }
    }
    const button = make("button", { type: "button", onclick: () => whileDisabled(button, press) });
    function name() {
        button.textContent = isLiked ? "Unlike" : "Like";
        button.setAttribute("aria-label", `${button.textContent} “${post.title}”`);
    }
    name();
    return make("p", { class: "likes" }, number, " ", button, problem);
}
