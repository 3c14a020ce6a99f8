import ExampleSupport
import FogbaseClient
import Foundation

/// Two users and a guest in a forum.
@main enum Program {
    static func main() async {
        await Example.run("A forum: two users post, like, change and delete, and a guest reads.") { example in
            let thread = Example.fresh("sea")
            let session = MemoryTokenStore()
            let ada = try await signUp("ada", in: thread, example)
            let bob = try await signUp("bob", in: thread, example, keeping: session)
            let guest = Fogbase(example.server).container()

            let post = try await write(ada: ada, bob: bob, example)
            try await like(post, in: thread, session, example)
            let liked = try await bob.mostLiked().first?.likes
            try example.check("fifty clients have pressed at once, and no like is lost", liked == 50)
            try await look(bob, example)
            try await change(post, ada: ada, bob: bob, example)
            try await visit(guest, thread, example)

            try await watch(guest, thread, ada: ada, example)
            try await ada.delete(post)
            let left = try await bob.mostLiked().map(\.post.title)
            try example.check("a deleted post is gone, and its likes with it", left == ["Dunes"])
        }
    }

    /// Creates an account. The container keeps its token, and its databases act for this user from then on.
    private static func signUp(
        _ name: String, in thread: String, _ example: Example, keeping session: any TokenStore = MemoryTokenStore()
    ) async throws -> Forum {
        let app = Fogbase(example.server, tokens: session).container()
        let user = try await app.signUp(Example.fresh(name), password: "correct horse battery")
        example.say("\(user.name ?? "") has an account.")
        guard case .available(user) = try await app.accountStatus() else {
            throw ExampleFailure("the account that signed up is not signed in")
        }
        return Forum(database: app.publicDatabase, thread: thread)
    }

    private static func write(ada: Forum, bob: Forum, _ example: Example) async throws -> Stored<Post> {
        let image = SamplePicture(width: 16, height: 16).png
        let photo = SamplePicture(width: 320, height: 240).png
        let post = try await ada.publish("Waves", text: "High today.", image: image, photo: photo)
        _ = try await bob.publish("Dunes", text: "Quiet.")
        try example.check("the image is in the record as it was", try await bob.newest().last?.image == image)
        if let asset = post.photo {
            let data = try await bob.database.data(of: .asset(asset))
            try example.check("the photo of \(asset.size) bytes is read as it was", data == photo)
        }
        do {
            _ = try await bob.publish("Waves", text: "I did not look whether there is one.")
            throw ExampleFailure("a thread had one title twice")
        } catch FogbaseError.exists {
            try example.check("a title that the thread has is refused", try await bob.newest().count == 2)
        }
        return post
    }

    /// Fifty clients like a post at once, each with its own connections.
    private static func like(
        _ post: Stored<Post>, in thread: String, _ session: any TokenStore, _ example: Example
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { clients in
            for _ in 0..<50 {
                clients.addTask {
                    let app = Fogbase(example.server, tokens: session).container()
                    try await Forum(database: app.publicDatabase, thread: thread).like(post)
                }
            }
            try await clients.waitForAll()
        }
    }

    private static func look(_ forum: Forum, _ example: Example) async throws {
        example.say("The newest:")
        let newest = try await forum.newest()
        for post in newest { example.say("  \(post.title), \(post.text)") }
        example.say("The most liked:")
        let liked = try await forum.mostLiked()
        for (post, likes) in liked { example.say("  \(post.title), \(likes)") }
        try example.check("the newest comes first", newest.map(\.title) == ["Dunes", "Waves"])
        try example.check("the most liked comes first", liked.map(\.post.title) == ["Waves", "Dunes"])
    }

    /// Two devices of one author change different fields of a post that both have read before.
    private static func change(_ post: Stored<Post>, ada: Forum, bob: Forum, _ example: Example) async throws {
        var (phone, tablet) = (post, post)
        phone.text = "Lower by now."
        tablet.image = nil
        _ = try await ada.update(phone)
        let both = try await ada.update(tablet)
        try example.check("each device has changed its field alone", both.text == phone.text && both.image == nil)
        do {
            phone.text = "Is this still what I have read?"
            try await ada.database.save(phone)
            throw ExampleFailure("a change was written over another one")
        } catch FogbaseError.conflict(let conflict, _) {
            let text: String? = conflict.server?["text"]
            try example.check("a save that checks tells what has changed meanwhile", text == "Lower by now.")
        }
        do {
            phone.text = "Bob was here."
            _ = try await bob.update(phone)
            throw ExampleFailure("somebody has changed what is another's")
        } catch FogbaseError.accessDenied(let error) {
            example.say("  ✓ bob does not change ada's post: \(error.reason)")
        }
    }

    /// A guest's screen shows a post as soon as it is there, and no longer than it is.
    private static func watch(_ guest: Container, _ thread: String, ada: Forum, _ example: Example) async throws {
        var newest = Forum(database: guest.publicDatabase, thread: thread).live().makeAsyncIterator()
        let before = try await newest.next()?.records.map(\.title)
        let post = try await ada.publish("Gulls", text: "Loud.")
        let after = try await newest.next()
        try example.check(
            "a new post appears above the others", after?.records.map(\.title) == ["Gulls"] + (before ?? []))
        try await ada.delete(post)
        let last = try await newest.next()
        try example.check("a deleted post disappears", last?.changes == [.removed(at: 0)])
    }

    private static func visit(_ guest: Container, _ thread: String, _ example: Example) async throws {
        let forum = Forum(database: guest.publicDatabase, thread: thread)
        let posts = try await forum.newest()
        try example.check("a guest has no account", try await guest.accountStatus() == .noAccount)
        try example.check("a guest reads", posts.count == 2)
        do {
            _ = try await forum.publish("Hello", text: "It is me.")
            throw ExampleFailure("a guest has written")
        } catch FogbaseError.notAuthenticated {
            example.say("  ✓ a guest does not write")
        }
        do {
            for post in posts { try await forum.like(post) }
            throw ExampleFailure("a guest has liked")
        } catch FogbaseError.notAuthenticated {
            example.say("  ✓ a guest does not like")
        }
    }
}
