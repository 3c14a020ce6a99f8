import FogbaseClient
import Foundation
import RecordModel
import RecordWire
import Testing

/// A model as the macro writes one.
struct Article: RecordCodable, Equatable {
    enum Fields: String, RecordFields, CaseIterable {
        case title, author, topics, price, some, createdAt
    }

    var title = ""
    var author: String?
    var topics: [String] = []
    var price = 0
    var createdAt = Date(milliseconds: 0)

    static func field(for keyPath: PartialKeyPath<Article>) -> Fields? {
        switch keyPath {
        case \Article.title: .title
        case \Article.author: .author
        case \Article.topics: .topics
        case \Article.price: .price
        default: nil
        }
    }

    init() {}

    init(fields reader: inout FieldReader) throws {
        title = try reader.decode(String.self, for: "title")
        author = try reader.decodeIfPresent(String.self, for: "author")
        topics = try reader.decode([String].self, for: "topics", default: [])
        price = try reader.decode(Int.self, for: "price", default: 0)
    }

    func encode(fields writer: inout FieldWriter) throws {
        try writer.encode(title, for: "title")
        try writer.encode(author, for: "author")
        try writer.encode(topics, for: "topics")
        try writer.encode(price, for: "price")
    }
}

/// A model without a field for the moment of its creation.
private struct Plain: RecordCodable, Codable {
    var price: Int
}

@Suite struct QueryTests {
    @Test func `the query of the first page of the manual is what it says`() throws {
        let query = Query<Article>().filter(.author, equals: "_0f").filter(.topics, anyIn: ["sea", "fog"])
            .filter(.price, in: 100...500).sorted(by: .createdAt, ascending: false).limit(to: 20)
        let body = try query.body()
        // The server reads it.
        #expect(try QueryInput.read(body.bytes).condition == body["where"]?.string)
        #expect(body["where"]?.string == "author == %@ AND ANY topics IN %@ AND price >= %@ AND price <= %@")
        #expect(body["sort"]?.array == ["-createdAt"])
        #expect(body["limit"]?.integer == 20)
        #expect(body["fields"]?.array == ["title", "author", "topics", "price", "some", "createdAt"])
        #expect(
            query.description
                == #"Article where author == "_0f" AND ANY topics IN ["sea","fog"] AND price >= 100 AND price <= 500 "#
                + "sorted by -createdAt limit 20")
    }

    @Test func `a name means the system field if the model has no such field`() throws {
        let body = try Query<Plain>().filter(.createdAt, lessThan: Date(milliseconds: 5))
            .sorted(by: .createdAt, ascending: false).body()
        #expect(body["where"]?.string == "createdTimestamp < %@")
        #expect(body["sort"]?.array == ["-createdTimestamp"])
        #expect(body["fields"] == nil, "a model that lists no fields gets all of them")
    }

    @Test func `properties and operators say the same as fields`() throws {
        let filter: Filter<Article> = \.price >= 100 && \.price <= 500 && (\.author == nil || !(\.title == "a"))
        #expect(
            filter.text
                == "price >= %@ AND price <= %@ AND (author == NULL OR NOT (title == %@))")
        let query = Query<Article>().filter(\.price, in: 100..<500).filter(\.topics, contains: "sea")
            .filter(\.title, beginsWith: "s", .or).sorted(by: \.price)
        let body = try query.body()
        #expect(
            body["where"]?.string
                == "(price >= %@ AND price < %@ AND topics CONTAINS %@) OR title BEGINSWITH %@")
    }

    @Test func `a property that is not stored is rejected before anything is sent`() {
        #expect(throws: FogbaseError.self) { _ = try Query<Article>().filter(\.createdAt, lessThan: Date()).body() }
        #expect(throws: FogbaseError.self) { _ = try Query<Article>().sorted(by: \.createdAt).body() }
        #expect(throws: FogbaseError.self) { _ = try Query<Plain>().filter("price", equals: Double.nan).body() }
    }

    @Test func `text keeps its brackets, and a field like a keyword its mark`() throws {
        let query = Query<Article>().filter("price == %d OR price == %d", 1, 2).filter(.some, greaterThan: 3)
        #expect(try query.body()["where"]?.string == "(price == %d OR price == %d) AND #some > %@")
        #expect(try query.body()["args"]?.array?.count == 3)
    }

    @Test func `sorts ignore differences and place absent fields`() throws {
        let query = Query<Article>().sorted(by: .title, ignoring: .caseAndDiacritics)
            .sorted(by: .price, ascending: false, absent: .first)
        #expect(try query.body()["sort"]?.array == ["title[cd]", "-price nulls first"])
    }

    @Test func `no value is in an empty list`() throws {
        #expect(try Query<Article>().filter(.price, in: [Int]()).body()["where"]?.string == "FALSEPREDICATE")
        #expect(
            try Query<Article>().filter(.topics, noneIn: [String]()).body()["where"]?.string == "NOT (FALSEPREDICATE)")
    }
}
