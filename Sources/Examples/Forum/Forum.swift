import FogbaseClient
import Foundation

/// A thread of the forum, for a signed-in user or a guest.
struct Forum {
    let database: Database
    let thread: String

    // MARK: Reading

    func newest() async throws -> [Stored<Post>] {
        let query = Query<Post>().filter(.thread, equals: thread).sorted(by: .createdAt, ascending: false).limit(to: 20)
        return try await database.fetch(query).items
    }

    /// The newest posts now, and again after each change.
    func live() -> LiveQuery<Post> {
        let query = Query<Post>().filter(.thread, equals: thread).sorted(by: .createdAt, ascending: false).limit(to: 20)
        return database.live(query)
    }

    func mostLiked() async throws -> [(post: Stored<Post>, likes: Int)] {
        let query = Query<Likes>().filter(.thread, equals: thread).sorted(by: .count, ascending: false).limit(to: 20)
        let likes = try await database.fetch(query).items
        let posts = try await database.fetch(Post.self, likes.map(\.post))
        return try likes.compactMap { like in try posts[like.post].map { ($0, like.count) } }
    }

    // MARK: Writing

    /// - Throws: `FogbaseError.exists` if the thread already has a post with this title.
    func publish(
        _ title: String, text: String, image: Data? = nil, photo: Data? = nil
    ) async throws -> Stored<Post> {
        var post = Post(thread: thread, title: title, text: text, image: image)
        if let photo { post.photo = try await database.upload(photo, filename: "\(title).png") }
        // Both or none.
        var batch = Batch()
        let item = try batch.create(post, named: post.name)
        let likes = Likes(thread: thread, post: item.reference(.deleteSelf))
        try batch.create(likes, named: Likes.name(for: post.name), access: Likes.access)
        return try await database.perform(batch)[item]
    }

    /// Adds one like. The server increments the counter when it writes the record, so no like is lost.
    @discardableResult
    func like(_ post: Stored<Post>) async throws -> Int {
        try await database.change(Likes.self, Likes.name(for: post.id), .increment(.count)).count
    }

    /// Saves only the changed fields. The others keep the server's values.
    func update(_ post: Stored<Post>) async throws -> Stored<Post> {
        try await database.save(post, policy: .changedFields)
    }

    func delete(_ post: Stored<Post>) async throws {
        try await database.delete(Post.self, post.id)
    }
}
