import FuzzTargets
import RecordModel
import Testing

/// CloudKit's filters have the same meaning as the same conditions in text.
struct PredicateFilterTests {
    static func bind(_ name: String, _ comparator: String, _ value: QueryArgument) throws(RecordError) -> Predicate {
        try QuerySample.binder().bind([FilterSyntax(fieldName: name, comparator: comparator, value: value)])
    }

    static func rejection(_ name: String, _ comparator: String, _ value: QueryArgument) -> RecordError? {
        do throws(RecordError) {
            _ = try bind(name, comparator, value)
            return nil
        } catch { return error }
    }

    static let twins: [(String, String, QueryArgument, String)] = [
        ("a", "EQUALS", .integer(1), "a == 1"), ("a", "NOT_EQUALS", .integer(1), "a != 1"),
        ("a", "EQUALS", .null, "a == NULL"), ("___createTime", "LESS_THAN", .integer(1), "createdTimestamp < 1"),
        ("a", "LESS_THAN_OR_EQUALS", .integer(1), "a <= 1"), ("a", "GREATER_THAN", .double(1.5), "a > 1.5"),
        ("a", "GREATER_THAN_OR_EQUALS", .integer(1), "a >= 1"),
        ("title", "IN", .list([.string("x")]), "title IN {'x'}"),
        ("title", "NOT_IN", .list([.string("x")]), "NOT (title IN {'x'})"),
        ("title", "BEGINS_WITH", .string("x"), "title BEGINSWITH 'x'"),
        ("title", "NOT_BEGINS_WITH", .string("x"), "NOT title BEGINSWITH 'x'"),
        ("topics", "LIST_CONTAINS", .string("x"), "topics CONTAINS 'x'"),
        ("topics", "NOT_LIST_CONTAINS", .string("x"), "NOT topics CONTAINS 'x'"),
        ("topics", "LIST_CONTAINS_ANY", .list([.string("x"), .string("y")]), "ANY topics IN {'x', 'y'}"),
        ("topics", "NOT_LIST_CONTAINS_ANY", .list([.string("x")]), "NONE topics IN {'x'}"),
        (
            "topics", "LIST_CONTAINS_ALL", .list([.string("x"), .string("y")]),
            "topics CONTAINS 'x' AND topics CONTAINS 'y'"
        ),
        (
            "topics", "NOT_LIST_CONTAINS_ALL", .list([.string("x"), .string("y")]),
            "NOT (topics CONTAINS 'x' AND topics CONTAINS 'y')"
        ),
        ("topics", "LIST_CONTAINS_ALL", .list([]), "topics != NULL"),
        ("topics", "LIST_CONTAINS_ANY", .list([]), "FALSEPREDICATE"),
        ("topics", "LIST_MEMBER_BEGINS_WITH", .string("x"), "ANY topics BEGINSWITH 'x'"),
        ("topics", "NOT_LIST_MEMBER_BEGINS_WITH", .string("x"), "NONE topics BEGINSWITH 'x'"),
        ("___createdBy", "EQUALS", .reference("_bob"), "creatorUserRecordID == '_bob'"),
    ]

    @Test(arguments: twins.indices)
    func `a filter means the same as its text`(row: Int) throws {
        let (name, comparator, value, text) = Self.twins[row]
        #expect(try Self.bind(name, comparator, value).simplified() == QuerySample.bind(text).simplified())
    }

    @Test(arguments: ["equals", "NOT_LESS_THAN", "NOT_NOT_EQUALS", "NOT_", "", "LIKE", "NOT_NEARBY"])
    func `an unknown comparator is rejected`(comparator: String) {
        #expect(Self.rejection("title", comparator, .string("x"))?.reason == "Unknown comparator")
    }

    @Test func `a filter that does not fit its field is rejected with its position`() throws {
        let binder = try QuerySample.binder()
        let good = FilterSyntax(fieldName: "a", comparator: "EQUALS", value: .integer(1))
        for (bad, cause) in [
            (FilterSyntax(fieldName: "a", comparator: "EQUALS", value: .string("x")), RecordError.Cause.typeMismatch),
            (FilterSyntax(fieldName: "nothing", comparator: "EQUALS", value: .string("x")), .unknownName),
            (FilterSyntax(fieldName: "a", comparator: "IN", value: .list([.list([])])), .typeMismatch),
            (FilterSyntax(fieldName: "a", comparator: "LIST_CONTAINS", value: .integer(1)), .typeMismatch),
            (FilterSyntax(fieldName: "topics", comparator: "EQUALS", value: .string("x")), .typeMismatch),
        ] {
            do throws(RecordError) {
                _ = try binder.bind([good, bad])
                Issue.record("\(bad) is refused")
            } catch {
                #expect(error.cause == cause)
                #expect(error.detail("filter") == .number(1))
                #expect(error.detail("offset") == nil)
            }
        }
    }

    @Test func `filters have the limits of texts`() throws {
        let binder = try QuerySample.binder()
        let filter = FilterSyntax(fieldName: "a", comparator: "EQUALS", value: .integer(1))
        #expect(try binder.bind([]) == .and([]))
        _ = try binder.bind([FilterSyntax](repeating: filter, count: 200))
        let members = { (count: Int) in QueryArgument.list([QueryArgument](repeating: .string("x"), count: count)) }
        _ = try Self.bind("topics", "LIST_CONTAINS_ANY", members(1_000))
        #expect(Self.rejection("topics", "LIST_CONTAINS_ANY", members(1_001))?.cause == .tooLarge)
        #expect(Self.rejection("topics", "LIST_CONTAINS_ALL", members(200))?.cause == .tooLarge)
        let tooMany = [FilterSyntax](repeating: filter, count: 201)
        #expect(throws: RecordError.self) { try binder.bind(tooMany) }
    }
}
