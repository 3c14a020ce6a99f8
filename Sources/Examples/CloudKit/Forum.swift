import ExampleSupport
import Foundation

/// A post, with a picture of any size.
struct Post: Model {
    var thread: String
    var title: String
    var text: String
    var photo: Asset?

    static let recordType = "WebPost"
    static var names: [PartialKeyPath<Post>: String] {
        [\.thread: "thread", \.title: "title", \.text: "text", \.photo: "photo"]
    }

    init(thread: String, title: String, text: String, photo: Asset? = nil) {
        (self.thread, self.title, self.text, self.photo) = (thread, title, text, photo)
    }

    init(_ fields: Fields) throws {
        (thread, title) = (try fields("thread"), try fields("title"))
        (text, photo) = (try fields("text"), try fields("photo"))
    }

    var fields: [String: FieldValue] {
        ["thread": thread.fieldValue, "title": title.fieldValue, "text": text.fieldValue, "photo": photo.fieldValue]
    }
}

/// The number of likes of a post. It is a separate record, since only the author may change the post, but all users may
/// like it.
struct Likes: Model {
    var thread: String
    /// The post. The server deletes this record together with it.
    var post: Reference
    var count = 0

    static let recordType = "WebLikes"
    static var names: [PartialKeyPath<Likes>: String] { [\.thread: "thread", \.post: "post", \.count: "count"] }

    init(thread: String, post: String) {
        (self.thread, self.post) = (thread, Reference(recordName: post, action: "DELETE_SELF"))
    }

    init(_ fields: Fields) throws {
        (thread, post, count) = (try fields("thread"), try fields("post"), try fields("count"))
    }

    var fields: [String: FieldValue] {
        ["thread": thread.fieldValue, "post": post.fieldValue, "count": count.fieldValue]
    }

    static func name(for post: String) -> String { "Likes of \(post)" }
}

/// A thread of the forum, for a signed-in user or a guest.
struct Forum {
    let services: WebServices
    let thread: String

    func newest() async throws -> [Stored<Post>] {
        try await services.find(Query<Post>().filter(\.thread, .equals, thread).newestFirst(), limit: 20).items
    }

    func mostLiked() async throws -> [(post: Stored<Post>, likes: Int)] {
        let query = Query<Likes>().filter(\.thread, .equals, thread).sorted(by: \.count, ascending: false)
        let likes = try await services.find(query, limit: 20).items.map(\.model)
        let posts = try await services.lookUp(likes.map(\.post.recordName)).map { try Stored<Post>(try $0.get()) }
        return zip(posts, likes).map { ($0, $1.count) }
    }

    /// - Throws: `CloudError` with `CONFLICT` if the thread already has a post with this title.
    func publish(_ title: String, text: String, photo: Data? = nil) async throws -> Stored<Post> {
        let name = "\(thread): \(title)"
        var post = Post(thread: thread, title: title, text: text)
        if let photo {
            post.photo = try await services.upload(photo, for: "photo", of: name, type: Post.recordType)
        }
        let stored = try await services.create(post, named: name)
        _ = try await services.create(Likes(thread: thread, post: name), named: Likes.name(for: name))
        return stored
    }

    /// Adds one like: reads the counter and writes it with its change tag. If another client was faster, it begins
    /// again.
    ///
    /// - Returns: How often it had to write.
    @discardableResult
    func like(_ post: Stored<Post>) async throws -> Int {
        for attempt in 1...1_000 {
            guard var likes = try await services.fetch(Likes.self, Likes.name(for: post.name)).first else { break }
            likes.model.count += 1
            do {
                try await services.update(likes, \.count)
                return attempt
            } catch let error as CloudError where error.serverErrorCode == "CONFLICT" {}
        }
        throw ExampleFailure("a like is counted after some time")
    }
}

// MARK: - The application

extension Forum {
    /// Two users and a guest in a forum.
    static func run(_ app: App) async throws {
        let example = app.example
        let thread = Example.fresh("sea")
        let ada = Forum(services: try await app.signUp("ada").signIn(), thread: thread)
        let bob = Forum(services: try await app.signUp("bob").signIn(), thread: thread)
        let guest = Forum(services: app.guest, thread: thread)

        let photo = SamplePicture(width: 320, height: 240).png
        let waves = try await ada.publish("Waves", text: "High today.", photo: photo)
        try await app.letUsersWrite(Likes.recordType)
        _ = try await bob.publish("Dunes", text: "Quiet.")
        // In development, the server adds the indexes of a user's query, but not of a guest's.
        _ = try await (bob.newest(), bob.mostLiked())
        guard let asset = try await guest.newest().last?.model.photo else {
            throw ExampleFailure("the post has its picture")
        }
        let data = try await guest.services.download(asset)
        try example.check("the picture of \(asset.size) bytes is read as it was", data == photo)
        try await example.check("a thread has a title once", failsWith: "CONFLICT") {
            _ = try await bob.publish("Waves", text: "I did not look whether there is one.")
        }

        try await like(waves, ada, bob, example)
        let newest = try await bob.newest().map(\.model.title)
        try example.check("the newest comes first", newest == ["Dunes", "Waves"])
        let liked = try await bob.mostLiked().map(\.post.model.title)
        try example.check("the most liked comes first", liked == ["Waves", "Dunes"])

        try await change(waves, ada, bob, guest, example)
        try await ada.services.delete([waves.name])
        let left = try await bob.mostLiked().map(\.post.model.title)
        try example.check("a deleted post is gone, and its likes with it", left == ["Dunes"])
    }

    /// Twenty clients of two users like a post at once.
    private static func like(_ post: Stored<Post>, _ ada: Forum, _ bob: Forum, _ example: Example) async throws {
        let writes = try await withThrowingTaskGroup(of: Int.self) { clients in
            for number in 0..<20 { clients.addTask { try await (number % 2 == 0 ? ada : bob).like(post) } }
            return try await clients.reduce(0, +)
        }
        let likes = try await bob.mostLiked().first?.likes
        try example.check("twenty clients have pressed at once, and no like is lost", likes == 20)
        example.say("    (\(writes) writes, \(writes - 20) of them after another client's)")
    }

    private static func change(
        _ post: Stored<Post>, _ ada: Forum, _ bob: Forum, _ guest: Forum, _ example: Example
    ) async throws {
        var changed = post
        changed.model.text = "Lower by now."
        try await ada.services.update(changed, \.text)
        let text = try await guest.newest().last?.model.text
        try example.check("the author changes the post", text == "Lower by now.")
        try await example.check("nobody overwrites a change unseen", failsWith: "CONFLICT") {
            try await ada.services.update(changed, \.text)
        }
        guard let current = try await bob.newest().last else { throw ExampleFailure("the thread has posts") }
        try await example.check("bob does not change ada's post", failsWith: "ACCESS_DENIED") {
            try await bob.services.update(current, \.text)
        }
        try await example.check("a guest does not write", failsWith: "AUTHENTICATION_REQUIRED") {
            _ = try await guest.publish("Hello", text: "It is me.")
        }
    }
}
