import ExampleSupport
import Foundation

/// A post of a blog.
struct BlogPost: Model {
    var author: String
    var title: String
    var topics: [String]
    var good: Int
    var subtitle: String?
    var date: Date

    static let recordType = "WebBlogPost"
    static var names: [PartialKeyPath<BlogPost>: String] {
        [
            \.author: "author", \.title: "title", \.topics: "topics", \.good: "good", \.subtitle: "subtitle",
            \.date: "publishedAt",
        ]
    }

    init(author: String, number: Int) {
        (self.author, title) = (author, "Post \(number)")
        topics = number.isMultiple(of: 2) ? ["even", "sea"] : ["odd"]
        good = number % 10
        subtitle = number > 40 ? "One of the last" : nil
        date = Date(timeIntervalSince1970: 1_700_000_000 + TimeInterval(number * 3_600))
    }

    init(_ fields: Fields) throws {
        (author, title, topics) = (try fields("author"), try fields("title"), try fields("topics"))
        (good, subtitle, date) = (try fields("good"), try fields("subtitle"), try fields("publishedAt"))
    }

    var fields: [String: FieldValue] {
        [
            "author": author.fieldValue, "title": title.fieldValue, "topics": topics.fieldValue,
            "good": good.fieldValue, "subtitle": subtitle.fieldValue, "publishedAt": date.fieldValue,
        ]
    }
}

/// The same records with fewer fields. The server sends only these.
struct PostTitle: Model {
    var author: String
    var title: String

    static let recordType = BlogPost.recordType
    static var names: [PartialKeyPath<PostTitle>: String] { [\.author: "author", \.title: "title"] }

    init(_ fields: Fields) throws { (author, title) = (try fields("author"), try fields("title")) }
    var fields: [String: FieldValue] { ["author": author.fieldValue, "title": title.fieldValue] }
}

// MARK: - The application

/// Models and queries that the compiler checks.
enum TypedPosts {
    static func run(_ app: App) async throws {
        let example = app.example
        let services = try await app.signUp("writer").signIn()
        let author = Example.fresh("author")
        let posts = (1...45).map { number in
            let record = CloudRecord(
                recordType: BlogPost.recordType, fields: BlogPost(author: author, number: number).fields)
            return RecordOperation(operationType: "create", record: record)
        }
        for item in try await services.modify(posts) { _ = try item.get() }
        let mine = Query<BlogPost>().filter(\.author, .equals, author)

        try await ask(services, mine, example)
        try await turnPages(services, mine, example)
        let titles = Query<PostTitle>().filter(\.author, .equals, author).sorted(by: \.title)
        let first = try await services.find(titles, limit: 1).items.first
        try example.check("a model with fewer fields is read from the same records", first?.model.title == "Post 1")
        try await write(services, mine, example)
    }

    private static func ask(_ services: WebServices, _ mine: Query<BlogPost>, _ example: Example) async throws {
        let liked = mine.filter(\.topics, contains: "sea").filter(\.good, in: 2...6)
            .sorted(by: \.good, ascending: false).sorted(by: \.date)
        let all = try await services.all(liked)
        try example.check("\(all.count) posts about the sea have 2 to 6 likes", all.count == 14)
        let most = try await services.find(liked, limit: 3).items
        try example.check("the most liked come first, the older before", most.map(\.model.good) == [6, 6, 6])
        let early = try await services.all(mine.filter(\.title, .beginsWith, "Post 4").sorted(by: \.date))
        let isNil = early.map { $0.model.subtitle == nil }
        try example.check("an absent field is nil", isNil == [true, true, false, false, false, false, false])
    }

    /// Loads pages one by one, as for a scrolling list, and all records in a loop.
    private static func turnPages(_ services: WebServices, _ mine: Query<BlogPost>, _ example: Example) async throws {
        let query = mine.sorted(by: \.date)
        var page = try await services.find(query, limit: 20)
        var sizes = [page.items.count]
        while let marker = page.marker {
            page = try await services.find(query, limit: 20, after: marker)
            sizes.append(page.items.count)
        }
        try example.check("markers lead from page to page", sizes == [20, 20, 5])
        let titles = try await services.all(query, limit: 20).map(\.model.title)
        try example.check("a loop reads all pages", titles == (1...45).map { "Post \($0)" })
    }

    private static func write(_ services: WebServices, _ mine: Query<BlogPost>, _ example: Example) async throws {
        guard var post = try await services.find(mine.filter(\.title, .equals, "Post 41"), limit: 1).items.first else {
            throw ExampleFailure("there is no post 41")
        }
        post.model.title = "Post forty-one"
        post.model.subtitle = nil
        let saved = try await services.update(post, \.title, \.subtitle)
        try example.check("a property is saved", saved.model.title == "Post forty-one")
        try example.check("nil removes a field", saved.model.subtitle == nil && saved.model.good == 1)
    }
}
