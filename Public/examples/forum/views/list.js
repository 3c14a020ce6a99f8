import { announce, by, hash, make, moment, whileDisabled } from "../dom.js";
import { smallAddress } from "../pictures.js";
import * as posts from "../posts.js";
import { likes } from "./likes.js";
import { problemBox } from "./problem.js";

/** Posts, newest or most liked first: all, those of a `thread`, or of threads that begin with `search`. */
export async function showList({ page, thread, search }, signal) {
    const load = page === "liked" ? posts.mostLiked : posts.newest;
    const list = make("ol", { class: "posts" });
    const problem = make("div");
    const more = make("button", { type: "button", onclick: () => whileDisabled(more, goOn) }, "More");
    const shown = new Set(); // A post that is liked in the meantime may appear again on a later page.
    let cursor;

    async function add() {
        const next = await load({ thread, search }, cursor, signal);
        const items = next.posts.filter((post) => !shown.has(post.name)).map(item);
        next.posts.forEach((post) => shown.add(post.name));
        list.append(...items);
        cursor = next.cursor;
        more.hidden = cursor === undefined;
        return items;
    }
    async function goOn() {
        problem.replaceChildren();
        try {
            const items = await add();
            announce(items.length === 1 ? "One more post" : `${items.length} more posts`);
            items[0]?.querySelector("a").focus();
        } catch (error) {
            if (!signal.aborted) problem.replaceChildren(problemBox(error, goOn));
        }
    }

    await add();
    const isPart = thread !== undefined || search !== undefined;
    const part = thread !== undefined ? ` in “${thread}”` : ` in threads that begin with “${search}”`;
    const heading = make("h1", {}, (page === "liked" ? "Most liked" : "Newest") + (isPart ? part : ""));
    const other = page === "liked" ? ["newest", "Newest first"] : ["liked", "Most liked first"];
    return [
        heading, searchForm(page, search),
        ...(isPart ? [make("p", {},
            make("a", { href: hash(other[0], { thread, search }) }, other[1]), " · ",
            make("a", { href: hash(page) }, "All threads"))] : []),
        shown.size > 0 || cursor !== undefined ? list : make("p", { class: "empty" }, "There are no posts here yet. ",
            make("a", { href: hash("write", { thread }) }, "Write one")),
        problem, make("p", { class: "actions" }, more),
    ];
}

function item(post) {
    return make("li", {},
        make("article", { class: "post" },
            post.image === undefined ? null
                : make("img", { class: "small", src: smallAddress(post.image), alt: "", width: 72, height: 72 }),
            make("h2", {}, make("a", { href: hash("post", { name: post.name }) }, post.title)),
            make("p", { class: "about" },
                make("a", { href: hash("newest", { thread: post.thread }) }, post.thread), " · ", moment(post.written), by(post)),
            make("p", { class: "excerpt" }, post.text),
            likes(post)));
}

/** Finds threads by prefix, which an index supports. */
function searchForm(page, search) {
    const input = make("input", { id: "search", type: "search", value: search ?? "", autocomplete: "off" });
    const find = (event) => {
        event.preventDefault();
        location.hash = hash(page, { search: input.value.trim() || undefined });
    };
    return make("form", { role: "search", onsubmit: find },
        make("label", { for: "search" }, "Threads that begin with"),
        make("span", { class: "joined" }, input, make("button", {}, "Search")));
}
