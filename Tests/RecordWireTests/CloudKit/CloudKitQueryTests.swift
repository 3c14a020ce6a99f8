import Geography
import RecordModel
import RecordWire
import TestSupport
import Testing

/// The body of `records/query`: each comparator, each way to name a field, each type of value.
@Suite struct CloudKitQueryTests {
    static func read(_ body: String) throws(RecordError) -> CloudKitQueryBody { try CloudKitQueryBody.read(utf8(body)) }

    /// Binds the filters of a query of `Post`.
    static func bind(_ query: String) throws(RecordError) -> BoundQuery {
        let body = try read(#"{"query":{"recordType":"Post",\#(query)}}"#)
        guard let query = body.query, let type = try? Sample.type() else { throw .recordNotFound }
        return try query.bind(to: type, now: 9) { name in name == "_bob" ? 7 : nil }
    }

    static func reason(_ query: String) -> String? {
        do throws(RecordError) {
            _ = try bind(query)
            return nil
        } catch { return error.asCloudKit().reason }
    }

    /// Binds a text of the native interface.
    static func bind(native text: String) throws(RecordError) -> Predicate {
        var query = QueryInput()
        query.condition = text
        guard let type = try? Sample.type() else { throw .recordNotFound }
        return try query.bind(to: type, now: 9) { name in name == "_bob" ? 7 : nil }.predicate
    }

    static func filter(_ comparator: String, _ field: String, _ value: String) -> String {
        #"{"comparator":"\#(comparator)",\#(field),"fieldValue":\#(value)}"#
    }

    static let comparators: [(comparator: String, field: String, value: String, text: String)] = [
        ("EQUALS", "string", #"{"value":"a","type":"STRING"}"#, "string == 'a'"),
        ("NOT_EQUALS", "string", #"{"value":"a"}"#, "string != 'a'"),
        ("LESS_THAN", "int64", #"{"value":3,"type":"INT64"}"#, "int64 < 3"),
        ("LESS_THAN_OR_EQUALS", "int64", #"{"value":3}"#, "int64 <= 3"),
        ("GREATER_THAN", "double", #"{"value":2.5,"type":"DOUBLE"}"#, "double > 2.5"),
        ("GREATER_THAN_OR_EQUALS", "double", #"{"value":2}"#, "double >= 2"),
        ("IN", "int64", #"{"value":[1,2],"type":"INT64_LIST"}"#, "int64 IN {1, 2}"),
        ("NOT_IN", "string", #"{"value":["a","b"]}"#, "NOT string IN {'a', 'b'}"),
        ("CONTAINS_ALL_TOKENS", "string", #"{"value":"sea sky"}"#, "string CONTAINS_ALL_TOKENS 'sea sky'"),
        ("CONTAINS_ANY_TOKENS", "string", #"{"value":"sea sky"}"#, "string CONTAINS_ANY_TOKENS 'sea sky'"),
        ("BEGINS_WITH", "string", #"{"value":"a"}"#, "string BEGINSWITH 'a'"),
        ("NOT_BEGINS_WITH", "string", #"{"value":"a"}"#, "NOT string BEGINSWITH 'a'"),
        ("LIST_CONTAINS", "stringlist", #"{"value":"a"}"#, "stringlist CONTAINS 'a'"),
        ("NOT_LIST_CONTAINS", "stringlist", #"{"value":"a"}"#, "NOT stringlist CONTAINS 'a'"),
        ("LIST_CONTAINS_ANY", "int64list", #"{"value":[1,2],"type":"LIST"}"#, "ANY int64list IN {1, 2}"),
        ("NOT_LIST_CONTAINS_ANY", "int64list", #"{"value":[1,2]}"#, "NOT ANY int64list IN {1, 2}"),
        (
            "LIST_CONTAINS_ALL", "stringlist", #"{"value":["a","b"],"type":"STRING_LIST"}"#,
            "stringlist CONTAINS 'a' AND stringlist CONTAINS 'b'"
        ),
        (
            "NOT_LIST_CONTAINS_ALL", "stringlist", #"{"value":["a","b"]}"#,
            "NOT (stringlist CONTAINS 'a' AND stringlist CONTAINS 'b')"
        ),
        ("LIST_MEMBER_BEGINS_WITH", "stringlist", #"{"value":"a"}"#, "ANY stringlist BEGINSWITH 'a'"),
        ("NOT_LIST_MEMBER_BEGINS_WITH", "stringlist", #"{"value":"a"}"#, "NOT ANY stringlist BEGINSWITH 'a'"),
        // The spellings of a code generator in use.
        ("LIST_NOT_CONTAINS", "stringlist", #"{"value":"a"}"#, "NOT stringlist CONTAINS 'a'"),
        ("LIST_NOT_CONTAINS_ANY", "int64list", #"{"value":[1]}"#, "NOT ANY int64list IN {1}"),
        ("LIST_NOT_CONTAINS_ALL", "stringlist", #"{"value":["a"]}"#, "NOT stringlist CONTAINS 'a'"),
        ("LIST_NOT_MEMBER_BEGINS_WITH", "stringlist", #"{"value":"a"}"#, "NOT ANY stringlist BEGINSWITH 'a'"),
        ("LIST_MEMBER_NOT_BEGINS_WITH", "stringlist", #"{"value":"a"}"#, "NOT ANY stringlist BEGINSWITH 'a'"),
        // Values of each type.
        ("EQUALS", "timestamp", #"{"value":1775034000000}"#, "timestamp == CAST(796726800, 'NSDate')"),
        (
            "EQUALS", "timestamp", #"{"value":1775034000000,"type":"TIMESTAMP"}"#,
            "timestamp == CAST(796726800, 'NSDate')"
        ),
        (
            "EQUALS", "timestamp", #"{"value":1775034000000,"type":"DATETIME"}"#,
            "timestamp == CAST(796726800, 'NSDate')"
        ),
        ("EQUALS", "int64", #"{"value":9223372036854775807}"#, "int64 == 9223372036854775807"),
        ("EQUALS", "int64", #"{"value":true}"#, "int64 == 1"),
        (
            "EQUALS", "reference", #"{"value":{"recordName":"r","action":"NONE"},"type":"REFERENCE"}"#,
            "reference == 'r'"
        ),
        (
            "EQUALS", "reference", #"{"value":{"recordName":"r","zoneID":{"zoneName":"Other"},"more":1}}"#,
            "reference == 'r'"
        ),
        ("EQUALS", "reference", #"{"value":"r","type":"STRING"}"#, "reference == 'r'"),
        ("IN", "reference", #"{"value":[{"recordName":"r"},{"recordName":"s"}]}"#, "reference IN {'r', 's'}"),
        ("EQUALS", "string", #"{"value":null}"#, "string == NULL"),
    ]

    @Test(arguments: comparators) func `a comparator means what the native condition means`(
        comparator: String, field: String, value: String, text: String
    ) throws {
        let named = #""fieldName":"\#(field)""#
        let bound = try Self.bind(#""filterBy":[\#(Self.filter(comparator, named, value))]"#)
        #expect(bound.predicate == (try Self.bind(native: text)))
    }

    @Test func `NEAR is a distance of at most so many meters`() throws {
        let value = #"{"value":{"latitude":35.5,"longitude":139,"altitude":3,"unknown":1},"type":"LOCATION"}"#
        for distance in ["500", "500.0"] {
            let bound = try Self.bind(
                #""filterBy":{"comparator":"NEAR","fieldName":"location","distance":\#(distance),"fieldValue":\#(value)}"#
            )
            #expect(bound.predicate == (try Self.bind(native: "distance(location, loc(35.5, 139)) <= 500")))
        }
    }

    @Test(arguments: [
        (
            #""systemFieldName":"createdUserRecordName""#, #"{"value":{"recordName":"_bob"}}"#,
            "createdUserRecordName == '_bob'"
        ),
        (#""fieldName":"___createdBy""#, #"{"value":{"recordName":"_bob"}}"#, "createdUserRecordName == '_bob'"),
        (#""fieldName":"___modifiedBy""#, #"{"value":{"recordName":"_bob"}}"#, "modifiedUserRecordName == '_bob'"),
        (#""systemFieldName":"recordName""#, #"{"value":{"recordName":"r"},"type":"REFERENCE"}"#, "recordName == 'r'"),
        (#""fieldName":"___recordId""#, #"{"value":"r","type":"STRING"}"#, "recordName == 'r'"),
        (#""fieldName":"___createTime""#, #"{"value":9}"#, "createdTimestamp == CAST(-978307199.991, 'NSDate')"),
        (
            #""systemFieldName":"modifiedTimestamp""#, #"{"value":9,"type":"TIMESTAMP"}"#,
            "modifiedTimestamp == CAST(-978307199.991, 'NSDate')"
        ),
    ]) func `a system field has two names`(field: String, value: String, text: String) throws {
        let bound = try Self.bind(#""filterBy":[\#(Self.filter("EQUALS", field, value))]"#)
        #expect(bound.predicate == (try Self.bind(native: text)))
    }

    @Test func `a search without a field searches all fields`() throws {
        let query = #""filterBy":[{"comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":"sea"}}]"#
        let body = try Self.read(#"{"query":{"recordType":"Post",\#(query)}}"#)
        #expect(
            body.query?.filters == [
                FilterSyntax(fieldName: "", comparator: "CONTAINS_ANY_TOKENS", value: .string("sea"))
            ])
        // The type has no such field.
        #expect(Self.reason(query) == "No field of Post that you may read is SEARCHABLE")
    }

    @Test func `all filters must hold, and one object is a list of one`() throws {
        let one = Self.filter("EQUALS", #""fieldName":"int64""#, #"{"value":1}"#)
        let two = Self.filter("EQUALS", #""fieldName":"string""#, #"{"value":"a"}"#)
        #expect(try Self.bind(#""filterBy":\#(one)"#).predicate == Self.bind(native: "int64 == 1"))
        #expect(
            try Self.bind(#""filterBy":[\#(one),\#(two)]"#).predicate
                == Self.bind(native: "int64 == 1 AND string == 'a'"))
        #expect(try Self.bind(#""filterBy":[]"#).predicate == .constant(true))
        #expect(try Self.bind(#""filterBy":null"#).predicate == .constant(true))
    }

    @Test func `sorts have directions, system names and places`() throws {
        let bound = try Self.bind(
            #""sortBy":[{"fieldName":"int64"},{"systemFieldName":"modifiedTimestamp","ascending":false},{"fieldName":"___createTime","ascending":true,"unknown":1}]"#
        )
        #expect(bound.sort.map(\.isAscending) == [true, false, true])
        #expect(bound.sort.map(\.field.name) == ["int64", "modifiedTimestamp", "createdTimestamp"])
        let near = try Self.bind(
            #""sortBy":{"fieldName":"location","relativeLocation":{"value":{"latitude":1.25,"longitude":-2},"type":"LOCATION"}}"#
        )
        #expect(near.sort.first?.field.origin == Place(latitude: 1.25, longitude: -2))
    }

    @Test func `the place of a sort is part of the query's identity`() throws {
        func identity(_ latitude: Int) throws -> [UInt8]? {
            try Self.read(
                #"{"query":{"recordType":"Post","sortBy":{"fieldName":"location","relativeLocation":{"value":{"latitude":\#(latitude),"longitude":2}}}}}"#
            ).query?.identity
        }
        #expect(try identity(1) != identity(2))
        #expect(try identity(1) == identity(1))
    }

    @Test func `a body has every key`() throws {
        let body = try Self.read(
            #"{"query":{"recordType":"Post","more":1},"zoneID":{"zoneName":"Shifts","zoneType":"X","ownerName":"_a"},"zoneWide":true,"resultsLimit":7,"continuationMarker":"m","desiredKeys":["a","b"],"numbersAsStrings":true,"clientId":"x"}"#
        )
        #expect(body.query?.recordType?.text == "Post")
        #expect(body.zone == CloudKitZoneID(zoneName: "Shifts", ownerRecordName: "_a"))
        #expect(body.isZoneWide && body.numbersAsStrings)
        #expect(body.query?.limit == 7)
        #expect(body.query?.cursor == "m")
        #expect(body.query?.fields == ["a", "b"])
    }

    @Test(arguments: [("500", 200), ("200", 200), ("1", 1), ("null", 200), ("9223372036854775807", 200)])
    func `a limit is at most 200`(limit: String, expected: Int) throws {
        let body = try Self.read(#"{"query":{"recordType":"Post"},"resultsLimit":\#(limit)}"#)
        #expect(body.query?.limit == expected)
    }

    @Test func `null is the same as an absent key`() throws {
        let body = try Self.read(
            #"{"query":{"recordType":"Post","sortBy":null},"zoneID":null,"zoneWide":null,"continuationMarker":null,"desiredKeys":null,"numberAsStrings":null}"#
        )
        #expect(body.zone == nil && !body.isZoneWide && !body.numbersAsStrings)
        #expect(body.query?.cursor == nil && body.query?.fields == nil)
    }

    @Test(arguments: [
        ("IN", #"{"value":1}"#), ("NOT_IN", #"{"value":"a","type":"STRING"}"#), ("IN", #"{"value":null}"#),
    ]) func `IN needs a list`(comparator: String, value: String) {
        #expect(
            Self.reason(#""filterBy":[\#(Self.filter(comparator, #""fieldName":"int64""#, value))]"#)
                == "BadRequestException: Unexpected input")
    }

    @Test(arguments: [
        (#"{"value":"x","type":"INT64"}"#, "INT64"), (#"{"value":1.5,"type":"TIMESTAMP"}"#, "TIMESTAMP"),
        (#"{"value":3,"type":"INT64_LIST"}"#, "INT64_LIST"), (#"{"value":{"a":1},"type":"REFERENCE"}"#, "REFERENCE"),
        (#"{"value":"x"}"#, "INT64"),
    ]) func `a value of another type is told by its type`(value: String, type: String) {
        #expect(
            Self.reason(#""filterBy":[\#(Self.filter("EQUALS", #""fieldName":"int64""#, value))]"#)
                == "Invalid value, expected type \(type).")
    }

    @Test(arguments: [
        #""filterBy":[{"comparator":"EQUALS","fieldName":"int64"}]"#,
        #""filterBy":[{"fieldName":"int64","fieldValue":{"value":1}}]"#,
        #""filterBy":[{"comparator":"EQUALS","fieldValue":{"value":1}}]"#, #""filterBy":[1]"#, #""filterBy":3"#,
        #""filterBy":[{"comparator":"EQUALS","fieldName":"int64","fieldValue":1}]"#, #""sortBy":[{}]"#,
        #""sortBy":[{"fieldName":3}]"#,
        #""filterBy":[{"comparator":"EQUALS","systemFieldName":"int64","fieldValue":{}}]"#,
    ]) func `a query of another form is unexpected input`(query: String) {
        #expect(Self.reason(query)?.hasPrefix("BadRequestException: Unexpected input: ") == true)
    }

    @Test(arguments: ["{", "[]", #"{"query":{}}"#, #"{"query":{"recordType":"Post"},"resultsLimit":0}"#, "nonsense"])
    func `a body of another form is unexpected input`(body: String) {
        do throws(RecordError) {
            _ = try Self.read(body)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .badRequest)
            #expect(error.asCloudKit().reason.hasPrefix("BadRequestException: Unexpected input"))
        }
    }
}
