import Foundation
import RecordModel
import Testing

@testable import RecordAPI

/// What CloudKit's contract has, and whether the server supports it: the tables of the manual's page, with an exchange
/// for each row.
@Suite struct SupportTests {
    @Test(arguments: SupportRow.all)
    func `the response is what the row says`(row: SupportRow) async throws {
        let world = try await SupportWorld(for: row)
        let (status, text) = try await world.play(row)
        #expect(status == row.status, "\(text)")
        for part in row.expected {
            let part = SupportWorld.json(try await world.filled(part))
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        // The random bytes of a token may happen to read as one of the parts.
        let shown = text.replacing(/(X-Apple-CloudKit-Web-Auth-Token: )\S+/) { $0.1 }
        for part in row.absent {
            let part = SupportWorld.json(part)
            #expect(!shown.contains(part), "\(part) is in \(shown)")
        }
        try Self.decodeErrors(text)
    }

    /// What libraries that decode `uuid: UUID` do with an error, alone or in a list.
    private static func decodeErrors(_ text: String) throws {
        guard text.contains("serverErrorCode"), let start = text.firstIndex(of: "{") else { return }
        let body = try JSONSerialization.jsonObject(with: Data(text[start...].utf8))
        let errors = errors(in: body)
        #expect(!errors.isEmpty, "\(text)")
        for error in errors {
            _ = try JSONDecoder().decode(DecodedError.self, from: JSONSerialization.data(withJSONObject: error))
        }
    }

    private struct DecodedError: Decodable {
        var uuid: UUID
        var serverErrorCode: String
        var reason: String
    }

    private static func errors(in value: Any) -> [[String: Any]] {
        if let list = value as? [Any] { return list.flatMap(errors) }
        guard let object = value as? [String: Any] else { return [] }
        return object["serverErrorCode"] == nil ? object.values.flatMap(errors) : [object]
    }

    @Test(arguments: SupportRow.endpoints.filter { !$0.databases.isEmpty })
    func `an endpoint applies to the databases of its row and to no others`(row: SupportRow) async throws {
        let used = try #require(row.databases.first)
        for database in CloudKitDatabase.allCases.map(\.rawValue) {
            var row = row
            row.request = row.request.replacing(" \(used)/", with: " \(database)/", maxReplacements: 1)
            let world = try await SupportWorld(for: row)
            let (_, text) = try await world.play(row)
            let isApplicable = !text.contains("endpoint not applicable")
            #expect(isApplicable == row.databases.contains(database), "\(row.request): \(text)")
        }
    }

    // MARK: Completeness

    private static func names(_ kind: SupportRow.Kind) -> Set<String> {
        Set(SupportRow.all.filter { $0.kind == kind }.flatMap(\.names))
    }

    @Test func `each route has a row`() {
        let rows = SupportRow.endpoints.filter { !$0.answer.hasPrefix("no") }.map { row in
            let prefix = row.place.hasPrefix("/") ? "" : "/database/1/{container}/{environment}/{database}/"
            return "\(row.names.joined()) \(prefix)\(row.place)"
        }
        #expect(rows.sorted() == RouteTable.cloudKit.routes.map { "\($0.name)" }.sorted())
    }

    @Test func `each comparator, type and code has a row`() {
        #expect(Self.names(.comparator).isSuperset(of: FilterSyntax.comparators))
        for type in FieldType.allCases {
            #expect(Self.names(.type).isSuperset(of: ["\(type.tag)", type.schemaName]), "\(type)")
        }
        #expect(Self.names(.code).isSuperset(of: RecordError.Code.allCases.map(\.rawValue)))
    }

    @Test func `each text of a reason has a row`() throws {
        let members = Set(SupportRow.reasons.map(\.member))
        for module in ["RecordWire", "RecordAPI"] {
            let file = SupportPage.root.appendingPathComponent("Sources/\(module)/CloudKit/CloudKitReason.swift")
            let source = try String(contentsOf: file, encoding: .utf8)
            let texts = source.prefix(upTo: source.range(of: "extension RecordError")?.lowerBound ?? source.endIndex)
            let names = texts.matches(of: #/static (?:let|func) (\w+)/#).map { String($0.output.1) }
            #expect(names.count > 5)
            for name in names { #expect(members.contains(name), "\(name)") }
        }
    }

    // MARK: The page

    @Test func `the manual has the tables`() throws {
        let page = try String(contentsOf: SupportPage.file, encoding: .utf8)
        let start = try #require(page.range(of: SupportPage.heading + "\n")).lowerBound
        guard page[start...] != SupportPage.section else { return }
        guard ProcessInfo.processInfo.environment["FOGBASE_WRITE_PAGES"] != nil else {
            Issue.record(
                """
                The last section of CloudKit.md differs from the rows. Write it with: \
                FOGBASE_WRITE_PAGES=1 make test FILTER=SupportTests
                """)
            return
        }
        try (page[..<start] + SupportPage.section).write(to: SupportPage.file, atomically: true, encoding: .utf8)
    }
}
