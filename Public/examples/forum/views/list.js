import { announce, by, hash, make, moment, whileDisabled } from "../dom.js";
import { smallAddress } from "../pictures.js";
import * as posts from "../posts.js";
import { listen } from "../updates.js";
import { likes } from "./likes.js";
import { problemBox } from "./problem.js";

/**
 * Posts, newest or most liked first: all, those of a `thread`, or of threads that begin with `search`. What others do to the
 * posts is shown in place. New posts are announced, and shown on request, so that the page does not move under the reader.
 */
export async function showList({ page, thread, search }, signal) {
    const receive = await listen(signal);
    const load = page === "liked" ? posts.mostLiked : posts.newest;
    const where = { thread, search };
    const list = make("ol", { class: "posts" });
    const problem = make("div");
    const more = make("button", { type: "button", onclick: () => whileDisabled(more, goOn) }, "More");
    const empty = make("p", { class: "empty" }, "There are no posts here yet. ",
        make("a", { href: hash("write", { thread }) }, "Write one"));
    const shown = new Map(); // items by the names of their posts. A post that is liked in the meantime may come again on a later page.
    const news = new Map(); // the times of new posts that are not shown yet, by their names
    const newsLine = make("p", { class: "news", role: "status" });
    const newsButton = make("button", { type: "button", onclick: () => whileDisabled(newsButton, startOver) });
    let newest = 0; // the time of the first post
    let cursor;

    function add(next) {
        const items = next.posts.filter((post) => !shown.has(post.name)).map((post) => [post.name, item(post)]);
        for (const [name, added] of items) shown.set(name, added);
        list.append(...items.map(([, added]) => added.element));
        cursor = next.cursor;
        more.hidden = cursor === undefined;
        empty.hidden = shown.size > 0 || cursor !== undefined;
        return items.length;
    }
    function begin(first) {
        shown.clear();
        list.replaceChildren();
        add(first);
        newest = first.posts[0]?.written ?? 0;
        for (const [name, written] of news) if (shown.has(name) || written < newest) news.delete(name);
        showNews();
    }
    async function goOn() {
        problem.replaceChildren();
        try {
            const last = list.lastElementChild;
            const count = add(await load(where, cursor, signal));
            announce(count === 1 ? "One more post" : `${count} more posts`);
            last?.nextElementSibling?.querySelector("a").focus();
        } catch (error) {
            if (!signal.aborted) problem.replaceChildren(problemBox(error, goOn));
        }
    }
    async function startOver() {
        problem.replaceChildren();
        try {
            begin(await load(where, undefined, signal));
            list.querySelector("a")?.focus({ preventScroll: true });
            scrollTo(0, 0);
        } catch (error) {
            if (!signal.aborted) problem.replaceChildren(problemBox(error, startOver));
        }
    }

    function take(change) {
        const { name, post } = change;
        if (change.isDeleted) {
            news.delete(name);
            remove(name);
        } else if (shown.has(name)) {
            shown.get(name).take(change);
        } else if (page === "newest" && post !== undefined && post.written >= newest && posts.belongs(post, where)) {
            news.set(name, post.written);
        }
        showNews();
    }
    function remove(name) {
        const removed = shown.get(name)?.element;
        shown.delete(name);
        if (removed?.contains(document.activeElement)) {
            const next = (removed.nextElementSibling ?? removed.previousElementSibling)?.querySelector("a") ?? heading;
            next.focus({ preventScroll: true });
            announce("This post was deleted.");
        }
        removed?.remove();
        empty.hidden = shown.size > 0 || cursor !== undefined;
    }
    function showNews() {
        const title = news.size === 1 ? "Show one new post" : `Show ${news.size} new posts`;
        if (news.size === 0) newsLine.replaceChildren();
        else if (!newsLine.contains(newsButton)) newsLine.append(newsButton);
        if (newsButton.textContent !== title) newsButton.textContent = title; // Screen readers announce each change.
    }

    begin(await load(where, undefined, signal));
    const isPart = thread !== undefined || search !== undefined;
    const part = thread !== undefined ? ` in “${thread}”` : ` in threads that begin with “${search}”`;
    const heading = make("h1", {}, (page === "liked" ? "Most liked" : "Newest") + (isPart ? part : ""));
    const other = page === "liked" ? ["newest", "Newest first"] : ["liked", "Most liked first"];
    receive(take);
    return [
        heading, searchForm(page, search),
        ...(isPart ? [make("p", {},
            make("a", { href: hash(other[0], { thread, search }) }, other[1]), " · ",
            make("a", { href: hash(page) }, "All threads"))] : []),
        newsLine, empty, list, problem, make("p", { class: "actions" }, more),
    ];
}

/** A post of the list, as `element`. `take` shows a change to it. */
function item(post) {
    const excerpt = make("p", { class: "excerpt" }, post.text);
    const liking = likes(post);
    const article = make("article", { class: "post" },
        small(post),
        make("h2", {}, make("a", { href: hash("post", { name: post.name }) }, post.title)),
        make("p", { class: "about" },
            make("a", { href: hash("newest", { thread: post.thread }) }, post.thread), " · ", moment(post.written), by(post)),
        excerpt, liking.element);
    function take(change) {
        if (change.post !== undefined) {
            excerpt.textContent = change.post.text;
            article.querySelector(".small")?.remove();
            article.prepend(small(change.post) ?? "");
        }
        liking.take(change);
    }
    return { element: make("li", {}, article), take };
}

function small({ image }) {
    if (image === undefined) return null;
    return make("img", { class: "small", src: smallAddress(image), alt: "", width: 72, height: 72 });
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
