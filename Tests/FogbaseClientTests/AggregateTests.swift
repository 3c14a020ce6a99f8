import FogbaseClient
import Foundation
import RecordWire
import Testing

@Suite struct AggregateTests {
    @Test func `the server reads the body of an aggregate`() throws {
        let aggregate = Aggregate<Article>()
            .grouped(by: .author).grouped(by: .createdAt, every: .month).timeZone("Asia/Tokyo")
            .value(.count).value(.sum(.price)).value(.average(.price)).value(.countDistinct(.title))
            .having("count > 3").sorted(by: .sum(.price), ascending: false).sorted(by: .author).limit(to: 10)
        let query: JSONValue = ["recordType": "Article", "aggregate": aggregate.body]
        let input = try #require(try QueryInput.read(query.bytes).aggregate)
        #expect(input.groupBy == ["author", "month(createdAt)"])
        #expect(input.values == ["count", "sum(price)", "avg(price)", "countDistinct(title)"])
        #expect(input.having == "count > 3")
        #expect(input.sort == [SortInput(name: "sum(price)", isAscending: false), SortInput(name: "author")])
        #expect(input.limit == 10 && input.timeZone == "Asia/Tokyo")
    }

    @Test func `groups have typed keys and values`() async throws {
        let container = InMemoryServer().makeClient().container()
        try await container.signUp("ann", password: "correct horse")
        let database = container.publicDatabase
        for (title, author, price) in [("a", "x", 10), ("b", "x", 20), ("c", nil, 5)] as [(String, String?, Int)] {
            var article = Article()
            (article.title, article.author, article.price) = (title, author, price)
            _ = try await database.create(article)
        }
        let aggregate = Aggregate<Article>().grouped(by: .author).value(.count).value(.sum(.price))
            .value(.average(.price)).value(.max(.title)).sorted(by: .count, ascending: false)
        let groups = try await aggregate.groups(in: database)
        #expect(!groups.hasMore)
        try #require(groups.items.count == 2)
        let first = groups.items[0]
        #expect(try first.key(.author, as: String.self) == "x")
        #expect(first.count == 2)
        #expect(try first.value(.sum(.price), as: Int.self) == 30)
        #expect(try first.value(.average(.price), as: Double.self) == 15)
        #expect(try first.value(.max(.title), as: String.self) == "b")
        #expect(try groups.items[1].key(.author, as: String.self) == nil)
        #expect(throws: FogbaseError.self) { try first.value(.min(.title), as: String.self) }
        #expect(throws: FogbaseError.self) { try first.value(.max(.title), as: Int.self) }
        let cheap = try await Aggregate<Article>().value(.count).value(.min(.price))
            .groups(of: Query<Article>().filter(.price, in: 0...10), in: database)
        #expect(try cheap.items.first?.value(.min(.price), as: Int.self) == 5)
        #expect(cheap.items.first?.count == 2)
    }
}
